import { assert, describe, it } from "@effect/vitest"
import {
  digestOf,
  faultsOf,
  groupsOf,
  readArrivals,
  resourceIdOf,
  type StoredAttempts,
} from "../../bench/load/deliveryRounds.ts"
import type { Arrival } from "../../bench/load/receiver.ts"
import {
  type DeliveryRounds,
  deliveryMetrics,
  deliverySizes,
  deliveryTargets,
} from "../../bench/suites/deliveries/deliveries.ts"
import { isId } from "../../schema/ids.ts"

const round = { run: 12, events: 4, groups: groupsOf(4, 2) }

const arrival = (endpoint: number, event: number, attempt = 1, run = round.run): Arrival => ({
  endpoint,
  attempt,
  deliveryId: `whd_${endpoint}-${event}-${attempt}`,
  chargeId: resourceIdOf(run, event),
  bodyBytes: 1,
  atMillis: (attempt - 1) * 1_000 + event * 10 + endpoint,
  body: undefined,
})

/** All deliveries of the round: events 0 and 2 belong to the first group, 1 and 3 to the second. */
const all = (attempt = 1): ReadonlyArray<Arrival> =>
  Array.from({ length: round.events }, (_, event) =>
    (round.groups[event % 2] ?? []).map((endpoint) => arrival(endpoint, event, attempt)),
  ).flat()

describe("a round of deliveries", () => {
  it("endpoints are in groups of the given size, or in one, and none is left out in any size", () => {
    assert.deepStrictEqual(groupsOf(2, 5), [[0, 1]])
    assert.deepStrictEqual(groupsOf(2, 1), [[0], [1]])
    for (const { endpoints, stormEndpoints } of Object.values(deliverySizes)) {
      for (const count of [endpoints, stormEndpoints]) assert.lengthOf(groupsOf(count, 5).flat(), count)
    }
    assert.isTrue(isId("txn_", resourceIdOf(99_999, 999_999_999)))
  })

  it("arrivals are sorted by event and place in its group, with when each first attempt came", () => {
    const { firstMillis, ...counts } = readArrivals(round, [...all(), ...all(2)])
    assert.deepStrictEqual([...firstMillis], [0, 1, 12, 13, 20, 21, 32, 33])
    assert.deepStrictEqual(counts, { byAttempt: [8, 8], repeated: 0, foreign: 0 })
  })

  it("arrivals that are repeated, at a wrong endpoint, of no event or of another round are counted", () => {
    const wrong = [arrival(0, 0), arrival(0, 0), arrival(2, 0), arrival(0, 4), arrival(0, 0, 1, 13)]
    const { byAttempt, repeated, foreign } = readArrivals(round, wrong)
    assert.deepStrictEqual([byAttempt, repeated, foreign], [[1], 1, 3])
  })

  const byStatus = { failed: 8, success: 8 }
  const seen = { arrivals: [...all(), ...all(2)], verified: 1, problems: [] as ReadonlyArray<string> }
  const storedOf = (arrivals: ReadonlyArray<Arrival>): StoredAttempts => ({
    attempts: arrivals.length,
    digest: digestOf(arrivals.map(({ deliveryId }) => deliveryId).toReversed()),
    byStatus: { success: 8, failed: 8 },
  })
  const stored = storedOf(seen.arrivals)
  const expected = { attempts: 2, byStatus }

  it("a delivery round has no fault when each attempt was one request and is recorded", () => {
    assert.deepStrictEqual(faultsOf(round, expected, seen, stored), [])
    const timedOut = { ...stored, byStatus: { success: 15, failed: 1 } }
    assert.deepStrictEqual(faultsOf(round, { attempts: 2, byStatus: undefined }, seen, timedOut), [])
    assert.lengthOf(faultsOf(round, expected, seen, timedOut), 1)
  })

  const arrivedAs = (arrivals: Array<Arrival>): [Partial<typeof seen>, StoredAttempts] => [
    { arrivals },
    storedOf(arrivals),
  ]
  const wrongs: Readonly<
    Record<string, readonly [fault: string, Partial<typeof seen>, Partial<StoredAttempts>]>
  > = {
    "a delivery that never arrived": ["by attempt: 8, 7", ...arrivedAs(seen.arrivals.slice(0, -1))],
    "an attempt too many": ["by attempt: 8, 8, 1", ...arrivedAs([...seen.arrivals, arrival(0, 0, 3)])],
    "a repeated request": ["more than once", ...arrivedAs([...seen.arrivals, arrival(0, 0)])],
    "a foreign request": ["no delivery", ...arrivedAs([...seen.arrivals, arrival(3, 0)])],
    "no verified signature": ["no signature", { verified: 0 }, {}],
    "a bad signature": ["bad signature", { problems: ["wrong"] }, {}],
    "an unrecorded attempt": ["15 attempts recorded", {}, { attempts: 15 }],
    "recorded attempts that differ": ["or different ones", {}, { digest: 6 }],
  }
  for (const [name, [fault, ofSeen, ofStored]] of Object.entries(wrongs)) {
    it(`a delivery round has exactly one fault for ${name}`, () => {
      const faults = faultsOf(round, expected, { ...seen, ...ofSeen }, { ...stored, ...ofStored })
      assert.lengthOf(faults, 1)
      assert.include(faults[0] ?? "", fault)
    })
  }
})

describe("targets of the deliveries suite", () => {
  const common = {
    ...{
      deliveries: 120,
      measured: 100,
      seconds: 1,
      latencies: [] as ReadonlyArray<number>,
      latenessMillis: 0,
    },
    cpuMillis: { server: 10, redis: 5, receiver: 2, source: 1 },
    ...{ serverMiB: 1, redisMiB: 1, problems: [], bytesPerRequest: 1, atOnceMax: 1 },
  }
  const healthy = (p99: number) => ({ ...common, latencies: [1, p99] })
  const sides = ["corrente", "bare", "bullmq"] as const
  const ofAll = <Round>(round: (side: (typeof sides)[number]) => Round) =>
    new Map(sides.map((side) => [side, [round(side)]]))
  const rounds = (healthyMillis: number): DeliveryRounds => ({
    fanOut: ofAll((side) => ({ ...common, seconds: { corrente: 0.02, bare: 0.018, bullmq: 0.04 }[side] })),
    latency: ofAll(() => ({ ...common, latencies: [2, 2, 9] })),
    storm: ofAll(() => ({ ...common, seconds: 0.01 })),
    isolation: ofAll(() => ({ none: healthy(10), half: healthy(healthyMillis) })),
  })

  it("delivery targets compare each round's own pair, and that of isolation is missed beyond 1.2", () => {
    const size = deliverySizes.default
    const metrics = deliveryMetrics(rounds(11), size)
    const targets = deliveryTargets(metrics, size)
    const measured = targets.map((target) => [Number(target.measured.toFixed(2)), target.isMet])
    assert.deepStrictEqual(measured, [
      [0.9, true],
      [2, true],
      [2, true],
      [1.1, true],
      [10_000, true],
    ])
    const cpu = metrics.find(({ name }) => name === "fan-out: CPU of the server per delivery")
    assert.deepStrictEqual(cpu?.values.corrente, [100])
    const missed = deliveryTargets(deliveryMetrics(rounds(13), size), size).filter(({ isMet }) => !isMet)
    assert.lengthOf(missed, 1)
    assert.match(missed[0]?.name ?? "", /half hang.*at most 1\.2/)
  })
})
