import { setTimeout as sleep } from "node:timers/promises"
import { limits } from "../../../schema/limits.ts"
import { monotonicOf } from "../../load/clock.ts"
import { type ExpectedRound, faultsOf, perEventOf, readArrivals } from "../../load/deliveryRounds.ts"
import type { DeliverySourceAnswer } from "../../load/deliverySource.ts"
import type { ReceiverBehaviour } from "../../load/receiver.ts"
import { cpuMillisOf, residentMiBOf } from "../../support/processUsage.ts"
import { until } from "../../support/until.ts"
import type { DeliveryEnvironment } from "./environment.ts"
import { clearSide, type DeliverySide, type EndpointSet, readAttempts } from "./sides.ts"

const settleTimeoutMillis = 120_000

export interface DeliveryResult {
  readonly deliveries: number
  /** Deliveries that the duration and CPU time cover. */
  readonly measured: number
  /** From the first measured event, or from when retries were due, until the last delivery arrived. */
  readonly seconds: number
  /** CPU time of each process, in ms, until the last attempt was recorded. */
  readonly cpuMillis: Readonly<Record<"server" | "redis" | "receiver" | "source", number>>
  readonly serverMiB: number
  readonly redisMiB: number
  readonly bytesPerRequest: number
  /** Paced rounds: from when an event was due until each of its first attempts arrived, in ms. */
  readonly latencies: ReadonlyArray<number>
  /** Lateness of the source itself, p99 in ms: it is part of the latencies. */
  readonly latenessMillis: number
  readonly atOnceMax: number
  readonly problems: ReadonlyArray<string>
}

interface Plan {
  readonly set: EndpointSet
  readonly events: number
  /** By default receivers answer immediately. */
  readonly behaviour?: Partial<ReceiverBehaviour>
  readonly expected: ExpectedRound
  readonly measured?: number
  /** For latencies: the rate, the first event that counts, and the endpoints that do. */
  readonly paced?: {
    readonly eventsPerSecond: number
    readonly fromEvent: number
    readonly counts: (endpoint: number) => boolean
  }
}

interface Actions {
  /** Owes the events of a range, at a rate or as fast as possible. */
  readonly owe: (fromEvent: number, toEvent: number, ratePerSecond?: number) => Promise<DeliverySourceAnswer>
  readonly behave: (behaviour: Partial<ReceiverBehaviour>) => Promise<unknown>
  /** Waits for that many requests in total. */
  readonly arrived: (requests: number) => Promise<unknown>
  /** Waits until nothing of the round is due or in flight. */
  readonly settled: () => Promise<unknown>
  /** The measured work begins here. */
  readonly mark: () => void
}

let runs = 0

/** Runs a round: does its work, waits until everything is recorded, proves the result and removes it. */
const runRound = async (
  { receiver, source }: DeliveryEnvironment,
  side: DeliverySide,
  { set, events, behaviour = {}, expected, measured, paced }: Plan,
  work: (actions: Actions) => Promise<DeliverySourceAnswer>,
): Promise<DeliveryResult> => {
  const { name } = side
  const { feeds, groups } = set
  const round = { run: ++runs, events, groups }
  const cpuNow = () => ({
    server: cpuMillisOf(side.pid),
    redis: cpuMillisOf(side.redis.pid),
    receiver: cpuMillisOf(receiver.pid),
    source: cpuMillisOf(source.pid),
  })
  const settled = () => until(async () => (await side.unsettled(set)) === 0, settleTimeoutMillis, 10)
  await receiver.ask({ kind: "expect", ...behaviour })
  let before = cpuNow()
  const { startMillis, latenessMillis } = await work({
    owe: (fromEvent, toEvent, ratePerSecond) =>
      source.ask({ kind: "owe", name, round, feeds, fromEvent, toEvent, ratePerSecond }),
    behave: (next) => receiver.ask({ kind: "behave", ...next }),
    arrived: (requests) => receiver.ask({ kind: "await", requests, timeoutMillis: settleTimeoutMillis }),
    settled,
    mark: () => {
      before = cpuNow()
    },
  })
  await settled()
  const after = cpuNow()
  const memory = { serverMiB: residentMiBOf(side.pid), redisMiB: residentMiBOf(side.redis.pid) }
  const seen = await receiver.ask({ kind: "take" })
  const stored = await readAttempts(side.redis.client)
  await clearSide(side)
  const { firstMillis } = readArrivals(round, seen.arrivals)
  const deliveries = firstMillis.length
  const bytes = seen.arrivals.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0)
  return {
    deliveries,
    measured: measured ?? deliveries,
    latenessMillis,
    ...memory,
    seconds: ((seen.arrivals.at(-1)?.atMillis ?? Number.NaN) - startMillis) / 1_000,
    cpuMillis: {
      server: after.server - before.server,
      redis: after.redis - before.redis,
      receiver: after.receiver - before.receiver,
      source: after.source - before.source,
    },
    bytesPerRequest: bytes / seen.requests,
    latencies: latenciesOf(firstMillis, startMillis, set, paced),
    atOnceMax: seen.atOnceMax,
    problems: faultsOf(round, expected, seen, stored),
  }
}

const latenciesOf = (
  firstMillis: Float64Array,
  startMillis: number,
  set: EndpointSet,
  paced: Plan["paced"],
): ReadonlyArray<number> => {
  if (paced === undefined) return []
  const { eventsPerSecond, fromEvent, counts } = paced
  const perEvent = perEventOf(set)
  return Array.from(firstMillis).flatMap((arrivedMillis, delivery) => {
    const event = Math.floor(delivery / perEvent)
    const endpoint = set.groups[event % set.groups.length]?.[delivery % perEvent]
    if (event < fromEvent || endpoint === undefined || !counts(endpoint)) return []
    return [arrivedMillis - startMillis - (event * 1_000) / eventsPerSecond]
  })
}

/** Warm-up events, as a share of the measured ones: connections open and buffers grow. */
const rampOf = (events: number): number => Math.ceil(events * 0.2)

const onceEach = (deliveries: number) => ({ attempts: 1, byStatus: { success: deliveries } })

/** All events at once; `events` is the number of measured ones. */
export const runFanOut = (environment: DeliveryEnvironment, side: DeliverySide, events: number) => {
  const set = environment.sets.fanOut
  const perEvent = perEventOf(set)
  const ramp = rampOf(events)
  const all = ramp + events
  const plan = { set, events: all, expected: onceEach(all * perEvent), measured: events * perEvent }
  return runRound(environment, side, plan, async ({ owe, arrived, settled, mark }) => {
    await owe(0, ramp)
    await arrived(ramp * perEvent)
    await settled()
    mark()
    const source = await owe(ramp, all)
    await arrived(all * perEvent)
    return source
  })
}

/** Events at a rate, and the ramp before them. */
const eventsIn = (eventsPerSecond: number, millis: number) => {
  const events = Math.max(1, Math.round((eventsPerSecond * millis) / 1_000))
  return { all: rampOf(events) + events, fromEvent: rampOf(events) }
}

export const runLatency = (
  environment: DeliveryEnvironment,
  side: DeliverySide,
  eventsPerSecond: number,
  millis: number,
) => {
  const set = environment.sets.single
  const { all, fromEvent } = eventsIn(eventsPerSecond, millis)
  const paced = { eventsPerSecond, fromEvent, counts: () => true }
  return runRound(environment, side, { set, events: all, expected: onceEach(all), paced }, async (act) => {
    const source = await act.owe(0, all, eventsPerSecond)
    await act.arrived(all)
    return source
  })
}

/** How long receivers withhold answers in a storm: long enough to count their concurrent requests. */
export const stormHoldMillis = 5

/** Deliveries that failed once and are all due again at the same moment. */
export const runStorm = async (environment: DeliveryEnvironment, side: DeliverySide, deliveries: number) => {
  const set = environment.sets.storm
  const events = Math.round(deliveries / perEventOf(set))
  const total = events * perEventOf(set)
  const holdMillis = stormHoldMillis
  const expected = { attempts: 2, byStatus: { failed: total, success: total } }
  const plan = { set, events, behaviour: { status: 503, holdMillis }, expected } as const
  const result = await runRound(environment, side, plan, async (act) => {
    await act.owe(0, events)
    await act.arrived(total)
    await act.settled()
    await act.behave({ holdMillis })
    act.mark()
    const startMillis = monotonicOf(await side.makeDue(set))
    await act.arrived(total * 2)
    return { startMillis, latenessMillis: 0 }
  })
  const isOverCap = side.name === "corrente" && result.atOnceMax > limits.attemptsInFlightPerDestination
  const problem = `${result.atOnceMax} concurrent requests at one endpoint`
  return isOverCap ? { ...result, problems: [...result.problems, problem] } : result
}

const mayHang = (endpoint: number): boolean => endpoint % 2 === 1

/** Time for the last healthy deliveries to arrive. */
const tailMillis = 200

/** Events at a fixed rate, each to all endpoints of a seller, half of which may hang: latencies at those that never do. */
export const runIsolation = (
  environment: DeliveryEnvironment,
  side: DeliverySide,
  eventsPerSecond: number,
  millis: number,
  isHanging: boolean,
) => {
  const set = environment.sets.fanOut
  const { all, fromEvent } = eventsIn(eventsPerSecond, millis)
  const plan: Plan = {
    set,
    events: all,
    behaviour: { hanging: isHanging ? set.groups.flat().filter(mayHang) : [] },
    // Whether a hanging attempt was answered in the end or timed out depends on timing.
    expected: { attempts: 1, byStatus: undefined },
    paced: { eventsPerSecond, fromEvent, counts: (endpoint) => !mayHang(endpoint) },
  }
  return runRound(environment, side, plan, async ({ owe, arrived, behave }) => {
    const source = await owe(0, all, eventsPerSecond)
    await sleep(tailMillis)
    await behave({})
    await arrived(all * perEventOf(set))
    return source
  })
}
