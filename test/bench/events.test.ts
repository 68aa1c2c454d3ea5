import { assert, describe, it } from "@effect/vitest"
import { monotonicOf } from "../../bench/load/clock.ts"
import { faultsOf, readRound, type SeenEvent, timesOf } from "../../bench/suites/events.ts"

const createdAt = "2026-11-21T10:00:00.000Z"
const startMillis = monotonicOf(Date.parse(createdAt))
const charges = [
  { id: "txn_a", amount: 100, answeredAtMillis: startMillis + 2.5 },
  { id: "txn_b", amount: 200, answeredAtMillis: startMillis + 4 },
]

const event = (id: string, type: string, seq: number, afterMillis: number, amount?: number): SeenEvent => {
  const object = { id, amount: amount ?? (id === "txn_a" ? 100 : 200) }
  return {
    data: JSON.stringify({ type: `transaction.${type}`, created_at: createdAt, seq, data: { object } }),
    atMillis: startMillis + afterMillis,
  }
}

const [first, second] = [event("txn_b", "paid", 43, 7), event("txn_a", "paid", 44, 8)]
const frames = [
  event("txn_a", "created", 41, 2),
  event("txn_b", "created", 42, 5),
  event("txn_b", "paid", 43, 3),
  event("txn_a", "paid", 44, 4),
]
const round = { charges, frames, deliveries: [first, second] }

describe("a round of events", () => {
  it("a round's times run from event to frame, from event to receiver and from answer to frame", () => {
    const times = Object.entries(timesOf(readRound(round)))
    assert.deepStrictEqual(
      times.map(([name, millis]) => [name, millis.map((value) => Number(value.toFixed(3)))]),
      [
        ["eventToFrame", [2, 5, 3, 4]],
        ["eventToReceiver", [7, 8]],
        ["answerToFrame", [-0.5, 1]],
      ],
    )
  })

  it("a round has a fault unless each charge has its two frames with consecutive seqs, and its delivery", () => {
    assert.deepStrictEqual(faultsOf(readRound(round)), [])
    const start = frames.slice(0, 3)
    for (const wrong of [
      { frames: start },
      { frames: [...start, event("txn_a", "paid", 45, 4)] },
      { frames: [...frames, event("txn_a", "paid", 45, 1)] },
      { frames: [...start, event("txn_c", "paid", 44, 1)] },
      { deliveries: [first] },
      { deliveries: [first, second, second] },
      { deliveries: [first, event("txn_a", "paid", 44, 8, 1)] },
    ]) {
      assert.isNotEmpty(faultsOf(readRound({ ...round, ...wrong })), JSON.stringify(wrong))
    }
  })
})
