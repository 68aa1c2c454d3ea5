import { assert, describe, it } from "@effect/vitest"
import type { SeenEvent } from "../../bench/load/eventProtocol.ts"
import { type EventRound, faultsOf, timesOf } from "../../bench/suites/eventRound.ts"

const charges = [
  { id: "txn_a", amount: 100, answeredAtMillis: 1_002.5 },
  { id: "txn_b", amount: 200, answeredAtMillis: 1_004 },
]

const event = (transactionId: string, type: string, seq: number, seenAfterMillis: number): SeenEvent => ({
  id: `evt_${seq}`,
  type,
  transactionId,
  amount: transactionId === "txn_a" ? 100 : 200,
  createdAtMillis: 1_000,
  seenAtMillis: 1_000 + seenAfterMillis,
  seq,
})

const frames = [
  event("txn_a", "transaction.created", 41, 2),
  event("txn_b", "transaction.created", 42, 5),
  event("txn_b", "transaction.paid", 43, 3),
  event("txn_a", "transaction.paid", 44, 4),
]
const deliveries = [event("txn_b", "transaction.paid", 43, 7), event("txn_a", "transaction.paid", 44, 8)]
const round: EventRound = { charges, frames, deliveries }

describe("a round of events", () => {
  it("a round's times run from event to frame, from event to receiver and from answer to frame", () => {
    assert.deepStrictEqual(timesOf(round), {
      eventToFrame: [2, 5, 3, 4],
      eventToReceiver: [7, 8],
      answerToFrame: [-0.5, 1],
    })
  })

  it("a round has no fault when each charge has its two frames and its delivery", () => {
    assert.deepStrictEqual(faultsOf(round), [])
  })

  it("a round has a fault when a frame is missing, repeated, misplaced or another charge's, or a seq is skipped", () => {
    for (const wrong of [
      frames.slice(1),
      frames.slice(0, 3),
      [...frames.slice(0, 3), event("txn_a", "transaction.paid", 45, 4)],
      [...frames, event("txn_a", "transaction.paid", 45, 1)],
      [frames[1], frames[0], frames[2], frames[3]].map((frame) => frame as SeenEvent),
      [...frames.slice(0, 3), event("txn_c", "transaction.paid", 44, 1)],
    ]) {
      assert.isNotEmpty(faultsOf({ ...round, frames: wrong }), JSON.stringify(wrong))
    }
  })

  it("a round has a fault when a delivery is missing, repeated or of another amount", () => {
    const [first, second] = deliveries as [SeenEvent, SeenEvent]
    for (const wrong of [
      [first],
      [first, second, second],
      [first, first],
      [first, { ...second, amount: 1 }],
    ]) {
      assert.isNotEmpty(faultsOf({ ...round, deliveries: wrong }), JSON.stringify(wrong))
    }
  })
})
