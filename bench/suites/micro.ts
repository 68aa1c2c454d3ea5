import { actorHopBench } from "../micro/actorHop.ts"
import { brCodeBench, chargeCodeBench, qrPngBench, qrSymbolBench } from "../micro/brCode.ts"
import { measureCommits } from "../micro/commit.ts"
import { fanOutBench, frameBench } from "../micro/frames.ts"
import {
  commandTimesBench,
  effectMetricsBench,
  histogramBench,
  requestMetricsBench,
} from "../micro/metrics.ts"
import type { MicroBench, MicroResult } from "../micro/microBench.ts"
import { decodeBench, signBench } from "../micro/requests.ts"
import type { Metric, Progress, Size, SuiteResult } from "../report/result.ts"
import { makeMetric } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { median } from "../support/statistics.ts"

const sizes = {
  small: { rounds: 2, warmUpIterations: 200, iterations: 200, commits: 300 },
  default: { rounds: 7, warmUpIterations: 5_000, iterations: 10_000, commits: 30_000 },
  full: { rounds: 15, warmUpIterations: 20_000, iterations: 40_000, commits: 100_000 },
} as const satisfies Record<Size, object>

const benches: ReadonlyArray<MicroBench> = [
  decodeBench,
  brCodeBench,
  qrSymbolBench,
  qrPngBench,
  chargeCodeBench,
  actorHopBench,
  frameBench,
  fanOutBench,
  signBench,
  requestMetricsBench,
  effectMetricsBench,
  histogramBench,
  commandTimesBench,
]

/** Single functions in this process, without a server; and the commit function in Redis. */
export const runMicro = async (size: Size, progress: Progress): Promise<SuiteResult> => {
  const { rounds, warmUpIterations, iterations, commits } = sizes[size]
  const metrics: Array<Metric> = []
  const unsteady: Array<string> = []
  for (const { name, run } of benches) {
    await run(warmUpIterations)
    const results: Array<MicroResult> = []
    while (results.length < rounds) results.push(await run(iterations))
    const nanos = results.map(({ nanosPerOperation }) => nanosPerOperation)
    progress(`micro, ${name}: ${formatNumber(median(nanos))} ns`)
    metrics.push(makeMetric(name, "ns", { corrente: nanos }))
    if (new Set(results.map(({ checksum }) => checksum)).size !== 1) unsteady.push(name)
  }
  progress("micro, commit function")
  const committed = await measureCommits(rounds, commits)
  metrics.push(makeMetric("commit function", "1/s", { corrente: committed.perSecond }))
  metrics.push(makeMetric("commit function, CPU of Redis", "us", { corrente: committed.redisMicros }))
  return {
    suite: "micro",
    parameters: { ...sizes[size], "commit function": "redis-benchmark, 64 connections, fsync always" },
    metrics,
    targets: [],
    checks: [
      {
        name: "checksums",
        isRight: unsteady.length === 0,
        detail: unsteady.length === 0 ? "the same in every round" : `differ: ${unsteady.join(", ")}`,
      },
      committed.check,
    ],
  }
}
