import { setTimeout as sleep } from "node:timers/promises"
import { limits } from "../../schema/limits.ts"
import type { DeliverySourceAnswer, SeenDeliveries } from "../load/deliveryProtocol.ts"
import { monotonicMillis } from "../load/streamProtocol.ts"
import type { DeliveryEnvironment } from "./deliveryEnvironment.ts"
import { type DeliveryRoundResult, prompt, type RoundParts, runRound } from "./round.ts"
import type { DeliverySide } from "./side.ts"
import type { DeliverySize } from "./sizes.ts"

/** Warm-up events, as a share of the measured ones: connections open and buffers grow. */
const rampShare = 0.2

const rampOf = (events: number): number => Math.ceil(events * rampShare)

/** What every phase reports of a round. */
interface RoundValues extends Omit<DeliveryRoundResult<unknown>, "result" | "seen"> {
  /** Deliveries that the duration and CPU time cover. */
  readonly measured: number
  readonly bytesPerRequest: number
}

const common = (round: DeliveryRoundResult<unknown>, measured = round.deliveries): RoundValues => ({
  deliveries: round.deliveries,
  measured,
  cpuMillis: round.cpuMillis,
  serverMiB: round.serverMiB,
  redisMiB: round.redisMiB,
  problems: round.problems,
  bytesPerRequest: round.seen.bodyBytes / round.seen.requests,
})

/** Events at a rate: which of them count, and at which endpoints. */
interface Paced {
  readonly eventsPerSecond: number
  readonly fromEvent: number
  readonly counts: (endpoint: number) => boolean
}

/** From when an event was due until each of its first attempts arrived, in ms. */
const latenciesOf = (
  seen: SeenDeliveries,
  { startMillis }: DeliverySourceAnswer,
  groups: ReadonlyArray<ReadonlyArray<number>>,
  { eventsPerSecond, fromEvent, counts }: Paced,
): ReadonlyArray<number> => {
  const perEvent = groups[0]?.length ?? 1
  const latencies: Array<number> = []
  for (const [delivery, arrivedMillis] of seen.arrivalsMillis.entries()) {
    const event = Math.floor(delivery / perEvent)
    const endpoint = groups[event % groups.length]?.[delivery % perEvent]
    if (event < fromEvent || endpoint === undefined || !counts(endpoint)) continue
    latencies.push(arrivedMillis - startMillis - (event * 1_000) / eventsPerSecond)
  }
  return latencies
}

const onceEach = (deliveries: number) => ({ attempts: 1, byStatus: { success: deliveries } })

/** All events at once. */
export interface FanOutRound extends RoundValues {
  /** From the first event until the last delivery arrived. */
  readonly seconds: number
}

/** What the phase needs. */
export interface FanOutParts extends RoundParts {
  readonly sets: Pick<DeliveryEnvironment["sets"], "fanOut">
}

/** Runs the phase; `events` is the number of measured events. */
export const runFanOut = async (
  environment: FanOutParts,
  side: DeliverySide,
  events: number,
): Promise<FanOutRound> => {
  const set = environment.sets.fanOut
  const perEvent = set.groups[0]?.length ?? 0
  const ramp = rampOf(events)
  const all = ramp + events
  const plan = { set, events: all, behaviour: prompt, expected: onceEach(all * perEvent) }
  const round = await runRound(environment, side, plan, async ({ owe, arrived, settled, mark }) => {
    await owe(0, ramp)
    await arrived(ramp * perEvent)
    await settled()
    mark()
    const source = await owe(ramp, all)
    await arrived(all * perEvent)
    return source
  })
  return {
    ...common(round, events * perEvent),
    seconds: (round.seen.lastMillis - round.result.startMillis) / 1_000,
  }
}

/** Events at a fixed rate, each to one endpoint. */
export interface LatencyRound extends RoundValues {
  readonly latencies: ReadonlyArray<number>
  /** Lateness of the source itself, p99 in ms: it is part of the latencies. */
  readonly latenessMillis: number
}

export const runLatency = async (
  environment: DeliveryEnvironment,
  side: DeliverySide,
  { latencyEventsPerSecond }: DeliverySize,
  millis: number,
): Promise<LatencyRound> => {
  const set = environment.sets.single
  const events = Math.max(1, Math.round((latencyEventsPerSecond * millis) / 1_000))
  const fromEvent = rampOf(events)
  const all = fromEvent + events
  const plan = { set, events: all, behaviour: prompt, expected: onceEach(all) }
  const round = await runRound(environment, side, plan, async ({ owe, arrived }) => {
    const source = await owe(0, all, latencyEventsPerSecond)
    await arrived(all)
    return source
  })
  const paced: Paced = { eventsPerSecond: latencyEventsPerSecond, fromEvent, counts: () => true }
  return {
    ...common(round),
    latencies: latenciesOf(round.seen, round.result, set.groups, paced),
    latenessMillis: round.result.latenessMillis,
  }
}

/** How long receivers withhold answers in a storm: long enough to count their concurrent requests. */
export const stormHoldMillis = 5

/** Deliveries that failed once and are all due again at the same moment. */
export interface StormRound extends RoundValues {
  /** From when they were due until the last arrived. */
  readonly seconds: number
  /** Most concurrent requests at one endpoint. */
  readonly atOnceMax: number
}

export const runStorm = async (
  environment: DeliveryEnvironment,
  side: DeliverySide,
  deliveries: number,
): Promise<StormRound> => {
  const set = environment.sets.storm
  const perEvent = set.groups[0]?.length ?? 1
  const events = Math.round(deliveries / perEvent)
  const total = events * perEvent
  const failing = { status: 503, holdMillis: stormHoldMillis, hanging: [] } as const
  const expected = { attempts: 2, byStatus: { failed: total, success: total } }
  const plan = { set, events, behaviour: failing, expected }
  const round = await runRound(environment, side, plan, async ({ owe, arrived, settled, behave, mark }) => {
    await owe(0, events)
    await arrived(total)
    await settled()
    await behave({ ...failing, status: 200 })
    mark()
    const dueAtMillis = await side.makeDue(set)
    const dueMillis = monotonicMillis() + dueAtMillis - Date.now()
    await arrived(total * 2)
    return { dueMillis }
  })
  const { lastMillis, atOnceMax } = round.seen
  const problems =
    side.name === "corrente" && atOnceMax > limits.attemptsInFlightPerDestination
      ? [`${atOnceMax} concurrent requests at one endpoint`]
      : []
  return {
    ...common(round),
    problems: [...round.problems, ...problems],
    seconds: (lastMillis - round.result.dueMillis) / 1_000,
    atOnceMax,
  }
}

/** Events at a fixed rate, each to all endpoints of a seller; half of the endpoints may hang. */
export interface IsolationRound extends RoundValues {
  /** First attempts at the endpoints that never hang. */
  readonly latencies: ReadonlyArray<number>
}

/** Every other endpoint. */
const mayHang = (endpoint: number): boolean => endpoint % 2 === 1

/** Time for the last healthy deliveries to arrive. */
const tailMillis = 200

export const runIsolation = async (
  environment: DeliveryEnvironment,
  side: DeliverySide,
  { isolationEventsPerSecond }: DeliverySize,
  millis: number,
  isHanging: boolean,
): Promise<IsolationRound> => {
  const set = environment.sets.fanOut
  const events = Math.max(1, Math.round((isolationEventsPerSecond * millis) / 1_000))
  const fromEvent = rampOf(events)
  const all = fromEvent + events
  const hanging = isHanging ? set.groups.flat().filter(mayHang) : []
  // Whether a hanging attempt was answered in the end or timed out depends on timing.
  const expected = { attempts: 1, byStatus: undefined }
  const plan = { set, events: all, behaviour: { ...prompt, hanging }, expected }
  const round = await runRound(environment, side, plan, async ({ owe, arrived, behave }) => {
    const source = await owe(0, all, isolationEventsPerSecond)
    await sleep(tailMillis)
    await behave(prompt)
    await arrived(all * (set.groups[0]?.length ?? 0))
    return source
  })
  const paced: Paced = {
    eventsPerSecond: isolationEventsPerSecond,
    fromEvent,
    counts: (endpoint) => !mayHang(endpoint),
  }
  return { ...common(round), latencies: latenciesOf(round.seen, round.result, set.groups, paced) }
}
