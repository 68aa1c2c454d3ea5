import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { ObserverAnswer, ObserverRequest } from "../load/eventProtocol.ts"
import type { LoadJob, LoadResult } from "../load/job.ts"
import type { Check, Metric, Progress, Size, SuiteResult, Target } from "../report/result.ts"
import { makeMetric } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { startWorker, type Worker } from "../support/child.ts"
import { Histogram } from "../support/histogram.ts"
import { type Side, withSides } from "../support/sides.ts"
import { median, percentileOf } from "../support/statistics.ts"
import { cpuMicrosPerAnswer, otherCores } from "./cpu.ts"
import { type EventRound, type EventTimes, faultsOf, timesOf } from "./eventRound.ts"

const sizes = {
  small: { chargesPerSecond: 200, rounds: 2, warmUpMillis: 200, measureMillis: 400 },
  default: { chargesPerSecond: 500, rounds: 5, warmUpMillis: 5_000, measureMillis: 5_000 },
  full: { chargesPerSecond: 500, rounds: 9, warmUpMillis: 15_000, measureMillis: 20_000 },
} as const satisfies Record<Size, object>

const simulatorDelayMillis = 50
/** Paid by the simulator (docs/contract/transactions.md#test-amounts). */
const amountEnding = 0
const connections = 64
/** Longest wait for a round's events after its last charge. */
const settleTimeoutMillis = 20_000
/** Targets: p50 of both paths, in ms. */
const p50Target = 5

/** The processes that take part in a run. */
interface Parts {
  readonly side: Side
  readonly load: Worker<LoadJob, LoadResult>
  readonly stream: Worker<ObserverRequest, ObserverAnswer>
  readonly receiver: Worker<ObserverRequest, ObserverAnswer>
  readonly endpointSecret: string
}

/** A round, the load generator's result, and the observers' problems. */
interface RoundResult {
  readonly load: LoadResult
  readonly round: EventRound
  readonly problems: ReadonlyArray<string>
}

const settled = async (parts: Parts, charges: number): Promise<void> => {
  const deadline = performance.now() + settleTimeoutMillis
  while (performance.now() < deadline) {
    const frames = await parts.stream.ask({ kind: "count" })
    const deliveries = await parts.receiver.ask({ kind: "count" })
    if (frames.count >= charges * 2 && deliveries.count >= charges) return
    await sleep(50)
  }
}

const runRound = async (
  parts: Parts,
  chargesPerSecond: number,
  measureMillis: number,
): Promise<RoundResult> => {
  const load = await parts.load.ask({
    port: parts.side.port,
    apiKey: parts.side.apiKey,
    workload: {
      kind: "create",
      amountEnding,
      keepMax: Number.POSITIVE_INFINITY,
      keyPrefix: randomUUID().slice(0, 8),
    },
    connections,
    warmUpMillis: 0,
    measureMillis,
    ratePerSecond: chargesPerSecond,
    processes: {
      server: parts.side.pid,
      redis: parts.side.redis.pid,
      stream: parts.stream.pid,
      receiver: parts.receiver.pid,
    },
  })
  await settled(parts, load.answered)
  const stream = await parts.stream.ask({ kind: "take" })
  const receiver = await parts.receiver.ask({ kind: "take", secret: parts.endpointSecret })
  const round = { charges: load.charges, frames: stream.events, deliveries: receiver.events }
  return {
    load,
    round,
    problems: [...load.problems, ...stream.problems, ...receiver.problems, ...faultsOf(round)],
  }
}

const percentileMetrics = (
  name: string,
  times: ReadonlyArray<EventTimes>,
  of: keyof EventTimes,
): ReadonlyArray<Metric> =>
  [50, 99, 99.9].map((percent) =>
    makeMetric(`${name} p${percent}`, "ms", {
      corrente: times.map((time) => percentileOf(time[of], percent)),
    }),
  )

const eventToFrame = "event -> SSE frame"
const eventToReceiver = "event -> receiver"

const metricsOf = (results: ReadonlyArray<RoundResult>): ReadonlyArray<Metric> => {
  const times = results.map(({ round }) => timesOf(round))
  const ofLoad = (value: (load: LoadResult) => number) => ({
    corrente: results.map(({ load }) => value(load)),
  })
  return [
    ...percentileMetrics(eventToFrame, times, "eventToFrame"),
    ...percentileMetrics(eventToReceiver, times, "eventToReceiver"),
    ...percentileMetrics("POST answered -> its frame", times, "answerToFrame"),
    makeMetric("POST latency p50", "ms", ofLoad(latencyAt(50))),
    makeMetric("POST latency p99", "ms", ofLoad(latencyAt(99))),
    makeMetric("charges", "1/s", ofLoad(throughputOf)),
    makeMetric("CPU of the server per charge", "us", ofLoad(cpuMicrosPerAnswer("server"))),
    makeMetric("CPU of Redis per charge", "us", ofLoad(cpuMicrosPerAnswer("redis"))),
    makeMetric("CPU of anything else", "cores", ofLoad(otherCores)),
  ]
}

const latencyAt =
  (percent: number) =>
  ({ latency }: LoadResult): number =>
    new Histogram(latency).percentile(percent)

const throughputOf = ({ completed, seconds }: LoadResult): number => completed / seconds

const targetsOf = (metrics: ReadonlyArray<Metric>): ReadonlyArray<Target> =>
  [eventToFrame, eventToReceiver].map((name) => {
    const metric = metrics.find((candidate) => candidate.name === `${name} p50`)
    const measured = median(metric?.values.corrente ?? [])
    return { name: `${name} p50 under ${p50Target} ms`, measured, isMet: measured < p50Target }
  })

const checkOf = (results: ReadonlyArray<RoundResult>): Check => {
  const problems = results.flatMap((result) => result.problems)
  const charges = results.reduce((sum, { round }) => sum + round.charges.length, 0)
  return {
    name: "events",
    isRight: problems.length === 0 && charges > 0,
    detail:
      problems.length === 0
        ? `${charges} charges, each with its two frames, seq contiguous, and one signed delivery`
        : problems.slice(0, 5).join("; "),
  }
}

const connectParts = async (
  side: Side,
  url: string,
  workers: Pick<Parts, "load" | "stream" | "receiver">,
): Promise<Parts> => {
  const endpoint = (await side.ops([
    ...["endpoint", "create", "--seller", side.sellerId, "--mode", "test"],
    ...["--url", url, "--events", "transaction.paid"],
  ])) as { readonly secret: string }
  await workers.stream.ask({ kind: "follow", port: side.port, apiKey: side.apiKey })
  return { side, ...workers, endpointSecret: endpoint.secret }
}

/** From an event's commit to an SSE client and to a webhook receiver, at a fixed rate of charges. */
export const runEvents = async (size: Size, progress: Progress): Promise<SuiteResult> => {
  const { rounds, warmUpMillis, measureMillis, chargesPerSecond } = sizes[size]
  const load = startWorker<LoadJob, LoadResult>(new URL("../load/main.ts", import.meta.url))
  const stream = startWorker<ObserverRequest, ObserverAnswer>(
    new URL("../load/sseClient.ts", import.meta.url),
  )
  const receiver = startWorker<ObserverRequest, ObserverAnswer>(
    new URL("../load/receiver.ts", import.meta.url),
  )
  try {
    const { listening } = await receiver.ask({ kind: "listen" })
    if (listening === undefined) throw new Error("the receiver did not start")
    const settings = {
      SIMULATOR_DELAY_MS: String(simulatorDelayMillis),
      WEBHOOK_ALLOW_DESTINATIONS: listening.origin,
      WEBHOOK_CA_FILE: listening.caFile,
    }
    return await withSides(["corrente"], settings, async ([side]) => {
      if (side === undefined) throw new Error("the service did not start")
      const parts = await connectParts(side, listening.url, { load, stream, receiver })
      progress("events: warming up")
      const warmUp = await runRound(parts, chargesPerSecond, warmUpMillis)
      const results: Array<RoundResult> = []
      for (let round = 0; round < rounds; round++) {
        const result = await runRound(parts, chargesPerSecond, measureMillis)
        results.push(result)
        const p50 = formatNumber(percentileOf(timesOf(result.round).eventToReceiver, 50))
        progress(`events, round ${round + 1} of ${rounds}: event -> receiver p50 ${p50} ms`)
      }
      const metrics = metricsOf(results)
      return {
        suite: "events",
        parameters: { ...sizes[size], connections, simulatorDelayMillis, ...notes },
        metrics,
        targets: targetsOf(metrics),
        checks: [checkOf([warmUp, ...results])],
      }
    })
  } finally {
    await Promise.all([load.stop(), stream.stop(), receiver.stop()])
  }
}

const notes = {
  clock: "from the event's created_at, which is truncated to whole ms: up to 1 ms too long",
  durability:
    "an event leaves Redis when its commit is on disk (fsync always), so each time includes one fsync",
  observers: "one SSE stream (created and paid), one TLS endpoint (paid), each in its own process",
}
