import type { Metric, RoundValues, Target, Unit } from "../report/result.ts"
import { makeMetric, ratioTarget, valueTarget } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { medianOfRatios, percentileOf } from "../support/statistics.ts"
import type { FanOutRound, LatencyRound, StormRound } from "./phases.ts"
import type { CpuMillis } from "./round.ts"
import type { AlonePair, IsolationPair, Rounds } from "./run.ts"
import type { DeliverySize } from "./sizes.ts"

/** All measurements of a run. */
export interface DeliveryRounds {
  readonly fanOut: Rounds<FanOutRound>
  readonly latency: Rounds<LatencyRound>
  readonly storm: Rounds<StormRound>
  readonly isolation: Rounds<IsolationPair>
  readonly alone: Rounds<AlonePair>
}

const metricOf = <Round>(
  name: string,
  unit: Unit,
  rounds: Rounds<Round>,
  value: (round: Round) => number,
): Metric => {
  const values: RoundValues = Object.fromEntries(
    [...rounds].map(([contender, results]) => [contender, results.map(value)]),
  )
  return makeMetric(name, unit, values)
}

const rate = ({ measured, seconds }: { readonly measured: number; readonly seconds: number }): number =>
  measured / seconds

const jobRate = ({ jobs, seconds }: { readonly jobs: number; readonly seconds: number }): number =>
  jobs / seconds

const microsPerDelivery =
  (part: keyof CpuMillis) =>
  ({ cpuMillis, measured }: { readonly cpuMillis: CpuMillis; readonly measured: number }): number =>
    (cpuMillis[part] * 1_000) / measured

const cpuParts = [
  ["server", "the server"],
  ["redis", "Redis"],
  ["receiver", "the receivers"],
  ["source", "the source"],
] as const

const cpuMetrics = (
  what: string,
  rounds: Rounds<{ readonly cpuMillis: CpuMillis; readonly measured: number }>,
): ReadonlyArray<Metric> =>
  cpuParts.map(([part, text]) =>
    metricOf(`${what}: CPU of ${text} per delivery`, "us", rounds, microsPerDelivery(part)),
  )

const names = {
  fanOut: "fan-out: deliveries",
  latency: (ratePerSecond: number) => `event -> receiver at ${formatNumber(ratePerSecond)}/s`,
  storm: (deliveries: number) => `${formatNumber(deliveries)} retries due at once`,
  healthy: (text: string) => `${text}: healthy first attempts`,
}

const noneText = "none hangs"
const halfText = "half hang"

const percentiles = <Round extends { readonly latencies: ReadonlyArray<number> }>(
  name: string,
  rounds: Rounds<Round>,
): ReadonlyArray<Metric> =>
  [50, 99, 99.9].map((percent) =>
    metricOf(`${name} p${percent}`, "ms", rounds, ({ latencies }) => percentileOf(latencies, percent)),
  )

const pick = <Key extends keyof IsolationPair>(rounds: Rounds<IsolationPair>, key: Key) =>
  new Map([...rounds].map(([name, pairs]) => [name, pairs.map((pair) => pair[key])]))

/** The metrics of a run. */
export const deliveryMetrics = (rounds: DeliveryRounds, size: DeliverySize): ReadonlyArray<Metric> => {
  const { fanOut, latency, storm, isolation, alone } = rounds
  const rateText = `at ${formatNumber(size.latencyEventsPerSecond)}/s`
  return [
    metricOf(names.fanOut, "1/s", fanOut, rate),
    ...cpuMetrics("fan-out", fanOut),
    metricOf("fan-out: memory of the server", "MiB", fanOut, ({ serverMiB }) => serverMiB),
    metricOf("fan-out: memory of Redis", "MiB", fanOut, ({ redisMiB }) => redisMiB),
    ...percentiles(names.latency(size.latencyEventsPerSecond), latency),
    metricOf(`${rateText}: the source's own lateness p99`, "ms", latency, (round) => round.latenessMillis),
    ...cpuMetrics(rateText, latency),
    metricOf(names.storm(size.stormDeliveries), "1/s", storm, rate),
    ...cpuMetrics("retries", storm),
    metricOf("retries: memory of the server", "MiB", storm, ({ serverMiB }) => serverMiB),
    ...percentiles(names.healthy(noneText), pick(isolation, "none")),
    ...percentiles(names.healthy(halfText), pick(isolation, "half")),
    metricOf("queue alone: jobs processed", "1/s", alone, ({ processed }) => jobRate(processed)),
    metricOf("queue alone: delayed jobs processed", "1/s", alone, ({ delayed }) => jobRate(delayed)),
  ]
}

/** Targets. */
const bareShare = 0.8
const bullmqTimes = 1.5
const latencyMillisTarget = 3
const stormPerSecond = 5_000
const healthyTimes = 1.2

const isolationTarget = (metrics: ReadonlyArray<Metric>): Target => {
  const of = (text: string) =>
    metrics.find(({ name }) => name === `${names.healthy(text)} p99`)?.values.corrente ?? []
  const measured = medianOfRatios(of(halfText), of(noneText))
  return {
    name: `${names.healthy(halfText)} p99 at most ${healthyTimes} of ${noneText}`,
    measured,
    isMet: measured <= healthyTimes,
  }
}

/** The targets of a run. */
export const deliveryTargets = (
  metrics: ReadonlyArray<Metric>,
  size: DeliverySize,
): ReadonlyArray<Target> => [
  ratioTarget(metrics, names.fanOut, "bare", { atLeast: bareShare }),
  ratioTarget(metrics, names.fanOut, "bullmq", { atLeast: bullmqTimes }),
  valueTarget(metrics, `${names.latency(size.latencyEventsPerSecond)} p50`, { atMost: latencyMillisTarget }),
  isolationTarget(metrics),
  valueTarget(metrics, names.storm(size.stormDeliveries), { atLeast: stormPerSecond }),
]
