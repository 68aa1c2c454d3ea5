import { assert, describe, it } from "@effect/vitest"
import { groupsOf } from "../../bench/deliveries/endpoints.ts"
import type { DeliveryRounds } from "../../bench/deliveries/metrics.ts"
import { deliveryMetrics, deliveryTargets } from "../../bench/deliveries/metrics.ts"
import { faultsOf } from "../../bench/deliveries/proof.ts"
import { deliverySizes } from "../../bench/deliveries/sizes.ts"
import { DeliveryLog, digestOf } from "../../bench/load/deliveryLog.ts"
import { eventOfBody, resourceIdOf, type SeenDeliveries } from "../../bench/load/deliveryProtocol.ts"
import { isId } from "../../schema/ids.ts"

const round = {
  run: 12,
  events: 4,
  groups: [
    [0, 1],
    [2, 3],
  ],
} as const

const bodyOf = (run: number, event: number): Buffer =>
  Buffer.from(`{"id":"evt_1","object":"event","data":{"object":{"id":"${resourceIdOf(run, event)}"}}}`)

const arrive = (log: DeliveryLog, endpoint: number, event: number, attempt = 1, run: number = round.run) =>
  log.add({
    endpoint,
    attempt,
    deliveryId: `whd_${endpoint}-${event}-${attempt}`,
    body: bodyOf(run, event),
    atMillis: (attempt - 1) * 1_000 + event * 10 + endpoint,
  })

/** All deliveries of the round: events 0 and 2 belong to the first group, 1 and 3 to the second. */
const arriveAll = (log: DeliveryLog, attempt = 1) => {
  for (const [event, endpoints] of [
    [0, 1],
    [2, 3],
    [0, 1],
    [2, 3],
  ].entries()) {
    for (const endpoint of endpoints) arrive(log, endpoint, event, attempt)
  }
}

describe("the ids of events", () => {
  it("are those of charges, and tell round and event again", () => {
    assert.isTrue(isId("txn_", resourceIdOf(99_999, 999_999_999)))
    assert.deepStrictEqual(eventOfBody(bodyOf(3, 45)), { run: 3, event: 45 })
    assert.isUndefined(
      eventOfBody(Buffer.from('{"data":{"object":{"id":"txn_01ARZ3NDEKABCDEFGHJKMNPQRS"}}}')),
    )
  })
})

describe("groups of endpoints", () => {
  it("have so many each, or all where there are fewer", () => {
    assert.deepStrictEqual(groupsOf(2, 5), [[0, 1]])
    assert.deepStrictEqual(groupsOf(4, 2), [
      [0, 1],
      [2, 3],
    ])
    assert.deepStrictEqual(groupsOf(2, 1), [[0], [1]])
  })

  it("are whole in every size: no endpoint is left out", () => {
    for (const { endpoints, stormEndpoints } of Object.values(deliverySizes)) {
      for (const count of [endpoints, stormEndpoints]) assert.lengthOf(groupsOf(count, 5).flat(), count)
    }
  })
})

describe("the log of a round", () => {
  it("knows when each first attempt came, by event and place in its group", () => {
    const log = new DeliveryLog(round)
    arriveAll(log)
    arriveAll(log, 2)
    const seen = log.seen()
    assert.deepStrictEqual([...seen.arrivalsMillis], [0, 1, 12, 13, 20, 21, 32, 33])
    assert.deepStrictEqual(seen.byAttempt, [8, 8, 0, 0, 0, 0])
    assert.deepStrictEqual([seen.missing, seen.repeated, seen.foreign], [0, 0, 0])
  })

  it("tells what is missing, repeated, and of nobody", () => {
    const log = new DeliveryLog(round)
    arrive(log, 0, 0)
    arrive(log, 0, 0)
    arrive(log, 2, 0)
    arrive(log, 0, 4)
    arrive(log, 0, 0, 1, round.run + 1)
    arrive(log, 0, 0, 7)
    const { missing, repeated, foreign, requests } = log.seen()
    assert.deepStrictEqual(
      { missing, repeated, foreign, requests },
      { missing: 7, repeated: 1, foreign: 4, requests: 6 },
    )
  })

  it("sums up the attempts' ids, in whatever order they came", () => {
    const ids = ["whd_a", "whd_b", "whd_c"]
    assert.strictEqual(digestOf(ids), digestOf(ids.toReversed()))
    assert.notStrictEqual(digestOf(ids), digestOf(["whd_a", "whd_b", "whd_d"]))
    const log = new DeliveryLog(round)
    arrive(log, 0, 0)
    arrive(log, 1, 0)
    assert.strictEqual(log.seen().digest, digestOf(["whd_1-0-1", "whd_0-0-1"]))
  })
})

describe("a round", () => {
  const expected = { deliveries: 8, attempts: 2, byStatus: { failed: 8, success: 8 } }
  const stored = { attempts: 16, digest: 5, byStatus: { success: 8, failed: 8 } }
  const seen: SeenDeliveries = {
    requests: 16,
    byAttempt: [8, 8, 0, 0, 0, 0],
    missing: 0,
    repeated: 0,
    foreign: 0,
    digest: 5,
    bodyBytes: 1,
    verified: 1,
    badSignatures: [],
    atOnceMax: 1,
    lastMillis: 1,
    arrivalsMillis: new Float64Array(),
  }

  it("is right where each attempt was one request and is recorded", () => {
    assert.deepStrictEqual(faultsOf(expected, seen, stored), [])
    const { byStatus, ...rest } = expected
    const timedOut = { ...stored, byStatus: { success: 15, failed: 1 } }
    assert.deepStrictEqual(faultsOf({ ...rest, byStatus: undefined }, seen, timedOut), [])
    assert.lengthOf(faultsOf({ ...rest, byStatus }, seen, timedOut), 1)
  })

  const wrongs: ReadonlyArray<readonly [string, Partial<SeenDeliveries>, Partial<typeof stored>]> = [
    ["never arrived", { missing: 1 }, {}],
    ["attempt 2", { byAttempt: [8, 7, 0, 0, 0, 0] }, {}],
    ["attempt 3", { byAttempt: [8, 8, 1, 0, 0, 0] }, {}],
    ["more than once", { repeated: 1 }, {}],
    ["belong to no delivery", { foreign: 1 }, {}],
    ["no signature", { verified: 0 }, {}],
    ["bad signatures", { badSignatures: ["wrong"] }, {}],
    ["15 attempts recorded", {}, { attempts: 15 }],
    ["or different ones", {}, { digest: 6 }],
  ]
  for (const [text, ofSeen, ofStored] of wrongs) {
    it(`is wrong otherwise: ${text}`, () => {
      const faults = faultsOf(expected, { ...seen, ...ofSeen }, { ...stored, ...ofStored })
      assert.lengthOf(faults, 1)
      assert.include(faults[0] ?? "", text)
    })
  }
})

describe("the targets", () => {
  const common = {
    deliveries: 120,
    measured: 100,
    cpuMillis: { server: 10, redis: 5, receiver: 2, source: 1 },
    serverMiB: 1,
    redisMiB: 1,
    problems: [],
    bytesPerRequest: 1,
  }
  const healthy = (p99: number) => ({ ...common, latencies: [1, p99] })
  const sides = ["corrente", "bare", "bullmq"] as const
  const ofAll = <Round>(round: (side: (typeof sides)[number]) => Round) =>
    new Map(sides.map((side) => [side, [round(side)]]))

  const rounds: DeliveryRounds = {
    fanOut: ofAll((side) => ({ ...common, seconds: { corrente: 0.02, bare: 0.018, bullmq: 0.04 }[side] })),
    latency: ofAll(() => ({ ...common, latencies: [2, 2, 9], latenessMillis: 0 })),
    storm: ofAll(() => ({ ...common, seconds: 0.01, atOnceMax: 1 })),
    isolation: ofAll((side) => ({ none: healthy(10), half: healthy(side === "corrente" ? 11 : 900) })),
    alone: new Map(),
  }

  it("are measured by what was delivered in the window, and by each round's own pair", () => {
    const size = deliverySizes.default
    const metrics = deliveryMetrics(rounds, size)
    const targets = deliveryTargets(metrics, size)
    assert.isTrue(targets.every(({ isMet }) => isMet))
    assert.deepStrictEqual(
      targets.map(({ measured }) => Number(measured.toFixed(2))),
      [0.9, 2, 2, 1.1, 10_000],
    )
    const cpu = metrics.find(({ name }) => name === "fan-out: CPU of the server per delivery")
    assert.deepStrictEqual(cpu?.values.corrente, [100])
  })

  it("are missed where healthy endpoints wait for those that hang", () => {
    const half = ofAll(() => ({ none: healthy(10), half: healthy(13) }))
    const metrics = deliveryMetrics({ ...rounds, isolation: half }, deliverySizes.default)
    const missed = deliveryTargets(metrics, deliverySizes.default).filter(({ isMet }) => !isMet)
    assert.deepStrictEqual(
      missed.map(({ name }) => name),
      ["half hang: healthy first attempts p99 at most 1.2 of none hangs"],
    )
  })
})
