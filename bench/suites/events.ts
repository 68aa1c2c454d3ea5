import { monotonicOf } from "../load/clock.ts"
import type { LoadResult } from "../load/generator.ts"
import type { StreamClientAnswer, StreamClientRequest } from "../load/streamClient.ts"
import type { AnsweredCharge } from "../load/workload.ts"
import {
  type Metric,
  type MetricRow,
  metricsOf,
  type Progress,
  problemsCheck,
  type RunSuite,
  type Size,
  type SuiteResult,
  sizesOf,
  targetOf,
} from "../report/result.ts"
import { startWorker, type Worker } from "../support/child.ts"
import {
  cpuMicros,
  creating,
  type Load,
  latencyAt,
  otherCores,
  throughputOf,
  withLoad,
} from "../support/load.ts"
import { type Receiver, withReceiver } from "../support/receiver.ts"
import { type Side, withService } from "../support/sides.ts"
import { formatNumber, median, percentileOf } from "../support/statistics.ts"

const sizes = sizesOf({
  chargesPerSecond: [200, 500, 500],
  rounds: [2, 5, 9],
  warmUpMillis: [200, 5_000, 15_000],
  measureMillis: [400, 5_000, 20_000],
})

const simulatorDelayMillis = 50
const connections = 64
/** Longest wait for a round's events after its last charge. */
const settleTimeoutMillis = 20_000
/** Targets: p50 of both paths, in ms. */
const p50Target = 5

/** An event and when its last byte was read, on the monotonic clock. */
export interface SeenEvent {
  readonly data: string
  readonly atMillis: number
}

interface EventRound {
  readonly charges: ReadonlyArray<AnsweredCharge>
  readonly frames: ReadonlyArray<SeenEvent>
  readonly deliveries: ReadonlyArray<SeenEvent>
}

/** Parses an event's envelope (docs/contract/events.md#envelope); its age is from `created_at`, which is truncated to whole ms. */
const readEvent = ({ data, atMillis }: SeenEvent) => {
  const {
    type,
    created_at,
    seq,
    data: content,
  } = JSON.parse(data) as {
    readonly type: string
    readonly created_at: string
    readonly seq: number
    readonly data: { readonly object: { readonly id: string; readonly amount: number } }
  }
  return { ...content.object, type, seq, atMillis, ageMillis: atMillis - monotonicOf(Date.parse(created_at)) }
}
type ReadEvent = ReturnType<typeof readEvent>

/** Reads a round's events. */
export const readRound = ({ charges, frames, deliveries }: EventRound) => ({
  charges,
  frames: frames.map(readEvent),
  deliveries: deliveries.map(readEvent),
})
type Read = ReturnType<typeof readRound>

/** The times of a round in ms. `created_at` is truncated to whole ms, so times measured from it are up to 1 ms too long. */
export const timesOf = ({ charges, frames, deliveries }: Read) => {
  const created = frames.filter(({ type }) => type === "transaction.created")
  const frameOf = new Map(created.map((frame) => [frame.id, frame]))
  return {
    /** From an event's `created_at` to its complete frame; both types. */
    eventToFrame: frames.map(({ ageMillis }) => ageMillis),
    /** From an event's `created_at` to its complete request. */
    eventToReceiver: deliveries.map(({ ageMillis }) => ageMillis),
    /** From the response to a POST to the frame of its `transaction.created`; negative if the frame arrived first. */
    answerToFrame: charges.flatMap(({ id, answeredAtMillis }) => {
      const frame = frameOf.get(id)
      return frame === undefined ? [] : [frame.atMillis - answeredAtMillis]
    }),
  }
}

const sumOf = (items: ReadonlyArray<{ readonly amount: number }>): number =>
  items.reduce((sum, { amount }) => sum + amount, 0)

/** One per charge, with its amount: the same ids, each once. */
const isOnePerCharge = (
  charges: ReadonlyArray<AnsweredCharge>,
  events: ReadonlyArray<ReadEvent>,
): boolean => {
  const ids = new Set(events.map(({ id }) => id))
  return (
    events.length === charges.length &&
    ids.size === charges.length &&
    charges.every(({ id }) => ids.has(id)) &&
    sumOf(events) === sumOf(charges)
  )
}

/** Problems of a round; none if every charge has its two frames in order and its one delivery. */
export const faultsOf = ({ charges, frames, deliveries }: Read): ReadonlyArray<string> => {
  const faults: Array<string> = []
  for (const type of ["transaction.created", "transaction.paid"]) {
    const found = frames.filter((frame) => frame.type === type)
    if (!isOnePerCharge(charges, found)) {
      faults.push(`${charges.length} charges, ${found.length} frames of ${type}, or frames of other charges`)
    }
  }
  const first = frames[0]?.seq ?? 0
  if (frames.some(({ seq }, index) => seq !== first + index)) faults.push("the frames' seq is not contiguous")
  if (!isOnePerCharge(charges, deliveries)) {
    faults.push(`${charges.length} charges, ${deliveries.length} deliveries, or deliveries of other charges`)
  }
  return faults
}

interface Parts {
  readonly side: Side
  readonly load: Load
  readonly stream: Worker<StreamClientRequest, StreamClientAnswer>
  readonly receiver: Receiver
  readonly secret: string
}

/** The group of the only stream. */
const group = "events"

const runRound = async (parts: Parts, ratePerSecond: number, measureMillis: number) => {
  const { side, load, stream, receiver, secret } = parts
  await receiver.ask({ kind: "expect", secrets: [secret], isKeeping: true })
  const result = await load.ask({
    port: side.port,
    apiKey: side.apiKey,
    workload: creating("paid", { keepMax: Number.POSITIVE_INFINITY }),
    connections,
    measureMillis,
    ratePerSecond,
    processes: { server: side.pid, redis: side.redis.pid, stream: stream.pid, receiver: receiver.pid },
  })
  const timeoutMillis = settleTimeoutMillis
  await stream.ask({ kind: "await", group, events: result.answered * 2, timeoutMillis })
  await receiver.ask({ kind: "await", requests: result.answered, timeoutMillis })
  const seen = await stream.ask({ kind: "take", group, isWhole: true })
  const [feed] = seen.feeds
  const frames = (feed?.frames ?? []).map((frame, at) => ({
    data: /^data: (.*)$/m.exec(frame)?.[1] ?? "",
    atMillis: feed?.arrivalsMillis[0]?.[at] ?? Number.NaN,
  }))
  const received = await receiver.ask({ kind: "take" })
  const deliveries = received.arrivals.map(({ body = "", atMillis }) => ({ data: body, atMillis }))
  const round = readRound({ charges: result.charges, frames, deliveries })
  return {
    load: result,
    charges: round.charges.length,
    times: timesOf(round),
    problems: [...result.problems, ...seen.problems, ...received.problems, ...faultsOf(round)],
  }
}

type Round = Awaited<ReturnType<typeof runRound>>

const eventToFrame = "event -> SSE frame"
const eventToReceiver = "event -> receiver"

const percentileRows = (name: string, of: keyof Round["times"]): ReadonlyArray<MetricRow<Round>> =>
  [50, 99, 99.9].map((percent) => [
    `${name} p${percent}`,
    "ms",
    ({ times }: Round) => percentileOf(times[of], percent),
  ])

const ofLoad = (value: (load: LoadResult) => number) => (round: Round) => value(round.load)

const eventMetrics = (rounds: ReadonlyArray<Round>): ReadonlyArray<Metric> =>
  metricsOf(new Map([["corrente", rounds] as const]), [
    ...percentileRows(eventToFrame, "eventToFrame"),
    ...percentileRows(eventToReceiver, "eventToReceiver"),
    ...percentileRows("POST answered -> its frame", "answerToFrame"),
    ["POST latency p50", "ms", ofLoad(latencyAt(50))],
    ["POST latency p99", "ms", ofLoad(latencyAt(99))],
    ["charges", "1/s", ofLoad(throughputOf)],
    ["CPU of the server per charge", "us", ofLoad(cpuMicros("server"))],
    ["CPU of Redis per charge", "us", ofLoad(cpuMicros("redis"))],
    ["CPU of anything else", "cores", ofLoad(otherCores)],
  ])

const runWith = async (size: Size, side: Side, load: Load, receiver: Receiver, progress: Progress) => {
  const { rounds, warmUpMillis, measureMillis, chargesPerSecond } = sizes[size]
  const stream: Parts["stream"] = startWorker(new URL("../load/streamClient.ts", import.meta.url))
  try {
    const { secret } = await receiver.addEndpoint(side)
    const request = `GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${side.apiKey}\r\n\r\n`
    const targets = [{ feed: side.sellerId, request, streams: 1 }]
    await stream.ask({ kind: "open", group, port: side.port, targets, readyAt: "frame", sourceAddresses: 1 })
    const parts = { side, load, stream, receiver, secret }
    progress("events: warming up")
    const warmUp = await runRound(parts, chargesPerSecond, warmUpMillis)
    const results: Array<Round> = []
    while (results.length < rounds) {
      const result = await runRound(parts, chargesPerSecond, measureMillis)
      results.push(result)
      const p50 = formatNumber(percentileOf(result.times.eventToReceiver, 50))
      progress(`events, round ${results.length} of ${rounds}: event -> receiver p50 ${p50} ms`)
    }
    const metrics = eventMetrics(results)
    const all = [warmUp, ...results]
    const charges = all.reduce((sum, round) => sum + round.charges, 0)
    return {
      suite: "events",
      parameters: { ...sizes[size], connections, simulatorDelayMillis, ...notes },
      metrics,
      targets: [eventToFrame, eventToReceiver].map((name) => {
        const metric = metrics.find((found) => found.name === `${name} p50`)
        const p50 = median(metric?.values.corrente ?? [])
        return targetOf(`${name} p50 under ${p50Target} ms`, p50, { atMost: p50Target })
      }),
      checks: [
        problemsCheck(
          "events",
          all.flatMap(({ problems }) => problems),
          `${charges} charges, each with its two frames, seq contiguous, and one signed delivery`,
          charges > 0,
        ),
      ],
    }
  } finally {
    await stream.stop()
  }
}

/** From an event's commit to an SSE client and to a webhook receiver, at a fixed rate of charges. */
export const runEvents: RunSuite = (size, progress) =>
  withLoad((load) =>
    withReceiver((receiver) =>
      withService(
        { SIMULATOR_DELAY_MS: String(simulatorDelayMillis), ...receiver.settings },
        (side): Promise<SuiteResult> => runWith(size, side, load, receiver, progress),
      ),
    ),
  )

const notes = {
  clock: "from the event's created_at, which is truncated to whole ms: up to 1 ms too long",
  durability:
    "an event leaves Redis when its commit is on disk (fsync always), so each time includes one fsync",
  observers: "one SSE stream (created and paid), one TLS endpoint (paid), each in its own process",
}
