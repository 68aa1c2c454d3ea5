import type { LoadResult } from "../load/job.ts"
import type { Metric, RoundValues, Target } from "../report/result.ts"
import { makeMetric, ratioTarget } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { Histogram } from "../support/histogram.ts"
import type { SideName } from "../support/sides.ts"
import { cpuMicrosPerAnswer, otherCores } from "./cpu.ts"
import type { Operation } from "./transactionOperations.ts"

/** A window and its processes' memory at the end, in MiB. */
export interface Window extends LoadResult {
  readonly serverMiB: number
  readonly redisMiB: number
}

/** An operation's windows, one per round. */
export type WindowsBySide = Readonly<Partial<Record<SideName, ReadonlyArray<Window>>>>

/** Responses a second. */
export const throughputOf = ({ completed, seconds }: LoadResult): number => completed / seconds

const valuesOf = (windows: WindowsBySide, value: (window: Window) => number): RoundValues =>
  Object.fromEntries(Object.entries(windows).map(([side, own]) => [side, own.map(value)]))

/** Closed loop: throughput, CPU per response of each process, and memory. */
export const throughputMetrics = (
  operation: Operation["name"],
  windows: WindowsBySide,
): ReadonlyArray<Metric> => {
  const cpu = (process: string) => valuesOf(windows, cpuMicrosPerAnswer(process))
  return [
    makeMetric(`${operation} throughput`, "1/s", valuesOf(windows, throughputOf)),
    makeMetric(`${operation} CPU of the server per request`, "us", cpu("server")),
    makeMetric(`${operation} CPU of Redis per request`, "us", cpu("redis")),
    makeMetric(`${operation} CPU of the load per request`, "us", cpu("load")),
    makeMetric(`${operation} CPU of anything else`, "cores", valuesOf(windows, otherCores)),
    makeMetric(
      `${operation} memory of the server`,
      "MiB",
      valuesOf(windows, ({ serverMiB }) => serverMiB),
    ),
    makeMetric(
      `${operation} memory of Redis`,
      "MiB",
      valuesOf(windows, ({ redisMiB }) => redisMiB),
    ),
  ]
}

/** Open loop at a rate: latency, and the generator's own lateness. */
export const latencyMetrics = (
  operation: Operation["name"],
  ratePerSecond: number,
  windows: WindowsBySide,
): ReadonlyArray<Metric> => {
  const at = `${operation} at ${formatNumber(ratePerSecond)}/s`
  const percentile = (percent: number) =>
    valuesOf(windows, ({ latency }) => new Histogram(latency).percentile(percent))
  const lateness = valuesOf(windows, (window) => new Histogram(window.lateness).percentile(99))
  return [
    makeMetric(`${at}: latency p50`, "ms", percentile(50)),
    makeMetric(`${at}: latency p99`, "ms", percentile(99)),
    makeMetric(`${at}: latency p99.9`, "ms", percentile(99.9)),
    makeMetric(`${at}: load's own lateness p99`, "ms", lateness),
  ]
}

/** Targets: medians of the rounds' ratios. */
const throughputTargets = [
  ["POST", "bare", 1],
  ["POST", "fastify", 1.3],
  ["POST", "fastify-qrcode", 20],
  ["GET", "bare", 0.75],
  ["GET", "fastify", 1.1],
  ["list of 50", "bare", 0.5],
  ["replay", "bare", 0.75],
] as const satisfies ReadonlyArray<readonly [Operation["name"], SideName, number]>
const postCpuTarget = 1
const p50Target = 1.5

/** The targets of the suite. */
export const targetsOf = (metrics: ReadonlyArray<Metric>): ReadonlyArray<Target> => [
  ratioTarget(metrics, "POST CPU of the server per request", "bare", { atMost: postCpuTarget }),
  ...throughputTargets.map(([operation, other, atLeast]) =>
    ratioTarget(metrics, `${operation} throughput`, other, { atLeast }),
  ),
  ...metrics
    .filter(({ name }) => name.endsWith(": latency p50"))
    .map(({ name }) => ratioTarget(metrics, name, "bare", { atMost: p50Target })),
]
