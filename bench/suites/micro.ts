import { brCodeBench, chargeCodeBench, qrMatrixBench, qrPngBench } from "../micro/brCode.ts"
import { fanOutBench, frameBench } from "../micro/frames.ts"
import type { Metric, Progress, Size, SuiteResult } from "../report/result.ts"
import { makeMetric } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { median } from "../support/statistics.ts"

const sizes = {
  small: { rounds: 2, warmUpIterations: 200, iterations: 200 },
  default: { rounds: 7, warmUpIterations: 5_000, iterations: 10_000 },
  full: { rounds: 15, warmUpIterations: 20_000, iterations: 40_000 },
} as const satisfies Record<Size, object>

const benches = [brCodeBench, qrMatrixBench, qrPngBench, chargeCodeBench, frameBench, fanOutBench]

/** Single functions, in this process and without a server. */
export const runMicro = async (size: Size, progress: Progress): Promise<SuiteResult> => {
  const { rounds, warmUpIterations, iterations } = sizes[size]
  const metrics: Array<Metric> = []
  const unsteady: Array<string> = []
  for (const { name, run } of benches) {
    run(warmUpIterations)
    const results = Array.from({ length: rounds }, () => run(iterations))
    const nanos = results.map(({ nanosPerOperation }) => nanosPerOperation)
    progress(`micro, ${name}: ${formatNumber(median(nanos))} ns`)
    metrics.push(makeMetric(name, "ns", { corrente: nanos }))
    if (new Set(results.map(({ checksum }) => checksum)).size !== 1) unsteady.push(name)
  }
  return {
    suite: "micro",
    parameters: sizes[size],
    metrics,
    targets: [],
    checks: [
      {
        name: "checksums",
        isRight: unsteady.length === 0,
        detail: unsteady.length === 0 ? "the same in every round" : `differ: ${unsteady.join(", ")}`,
      },
    ],
  }
}
