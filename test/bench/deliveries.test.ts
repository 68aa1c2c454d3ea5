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

describe("resource ids of measured events", () => {
  it("resource ids of measured events are valid charge ids that encode the round and the event", () => {
    assert.isTrue(isId("txn_", resourceIdOf(99_999, 999_999_999)))
    assert.deepStrictEqual(eventOfBody(bodyOf(3, 45)), { run: 3, event: 45 })
    assert.isUndefined(
      eventOfBody(Buffer.from('{"data":{"object":{"id":"txn_01ARZ3NDEKABCDEFGHJKMNPQRS"}}}')),
    )
  })
})

describe("groups of endpoints", () => {
  it("groups have the given number of endpoints each, or all endpoints where there are fewer", () => {
    assert.deepStrictEqual(groupsOf(2, 5), [[0, 1]])
    assert.deepStrictEqual(groupsOf(4, 2), [
      [0, 1],
      [2, 3],
    ])
    assert.deepStrictEqual(groupsOf(2, 1), [[0], [1]])
  })

  it("groups of five leave out no endpoint in any size", () => {
    for (const { endpoints, stormEndpoints } of Object.values(deliverySizes)) {
      for (const count of [endpoints, stormEndpoints]) assert.lengthOf(groupsOf(count, 5).flat(), count)
    }
  })
})

describe("the delivery log of a round", () => {
  it("the delivery log keeps when each first attempt arrived, by event and place in its group", () => {
    const log = new DeliveryLog(round)
    arriveAll(log)
    arriveAll(log, 2)
    const seen = log.seen()
    assert.deepStrictEqual([...seen.arrivalsMillis], [0, 1, 12, 13, 20, 21, 32, 33])
    assert.deepStrictEqual(seen.byAttempt, [8, 8, 0, 0, 0, 0])
    assert.deepStrictEqual([seen.missing, seen.repeated, seen.foreign], [0, 0, 0])
  })

  it("the delivery log counts deliveries that are missing, repeated or foreign", () => {
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

  it("the delivery log's digest of the attempts' ids does not depend on their order", () => {
    const ids = ["whd_a", "whd_b", "whd_c"]
    assert.strictEqual(digestOf(ids), digestOf(ids.toReversed()))
    assert.notStrictEqual(digestOf(ids), digestOf(["whd_a", "whd_b", "whd_d"]))
    const log = new DeliveryLog(round)
    arrive(log, 0, 0)
    arrive(log, 1, 0)
    assert.strictEqual(log.seen().digest, digestOf(["whd_1-0-1", "whd_0-0-1"]))
  })
})

describe("faults of a delivery round", () => {
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

  it("a delivery round has no fault when each attempt was one request and is recorded", () => {
    assert.deepStrictEqual(faultsOf(expected, seen, stored), [])
    const { byStatus, ...rest } = expected
    const timedOut = { ...stored, byStatus: { success: 15, failed: 1 } }
    assert.deepStrictEqual(faultsOf({ ...rest, byStatus: undefined }, seen, timedOut), [])
    assert.lengthOf(faultsOf({ ...rest, byStatus }, seen, timedOut), 1)
  })

  const wrongs: ReadonlyArray<
    readonly [name: string, fault: string, seen: Partial<SeenDeliveries>, stored: Partial<typeof stored>]
  > = [
    ["a delivery that never arrived", "never arrived", { missing: 1 }, {}],
    ["a missing second attempt", "attempt 2", { byAttempt: [8, 7, 0, 0, 0, 0] }, {}],
    ["an attempt too many", "attempt 3", { byAttempt: [8, 8, 1, 0, 0, 0] }, {}],
    ["a repeated request", "more than once", { repeated: 1 }, {}],
    ["a foreign request", "belong to no delivery", { foreign: 1 }, {}],
    ["no verified signature", "no signature", { verified: 0 }, {}],
    ["a bad signature", "bad signatures", { badSignatures: ["wrong"] }, {}],
    ["an unrecorded attempt", "15 attempts recorded", {}, { attempts: 15 }],
    ["recorded attempts that differ from the requests", "or different ones", {}, { digest: 6 }],
  ]
  for (const [name, fault, ofSeen, ofStored] of wrongs) {
    it(`a delivery round has exactly one fault for ${name}`, () => {
      const faults = faultsOf(expected, { ...seen, ...ofSeen }, { ...stored, ...ofStored })
      assert.lengthOf(faults, 1)
      assert.include(faults[0] ?? "", fault)
    })
  }
})

describe("targets of the deliveries suite", () => {
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

  it("delivery targets compare each round's own pair by what was delivered in the window", () => {
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

  it("the isolation target is missed when healthy endpoints wait for hanging ones", () => {
    const half = ofAll(() => ({ none: healthy(10), half: healthy(13) }))
    const metrics = deliveryMetrics({ ...rounds, isolation: half }, deliverySizes.default)
    const missed = deliveryTargets(metrics, deliverySizes.default).filter(({ isMet }) => !isMet)
    assert.deepStrictEqual(
      missed.map(({ name }) => name),
      ["half hang: healthy first attempts p99 at most 1.2 of none hangs"],
    )
  })
})
