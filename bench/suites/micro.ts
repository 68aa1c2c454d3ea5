import { type Metric, makeMetric, problemsCheck, type RunSuite, sizesOf } from "../report/result.ts"
import { formatNumber, median } from "../support/statistics.ts"
import { measureCommits } from "./microCommit.ts"
import { fanOutName, fanOutStreams, microBenches } from "./microFunctions.ts"

const sizes = sizesOf({
  rounds: [2, 7, 15],
  warmUpIterations: [200, 5_000, 20_000],
  iterations: [200, 10_000, 40_000],
  commits: [300, 30_000, 100_000],
})

/** Single functions in this process, without a server; and the commit function in Redis. */
export const runMicro: RunSuite = async (size, progress) => {
  const { rounds, warmUpIterations, iterations, commits } = sizes[size]
  const metrics: Array<Metric> = []
  const unsteady: Array<string> = []
  for (const [name, run] of Object.entries(microBenches)) {
    // A write goes to all streams, however few are asked for.
    const count = name === fanOutName ? Math.ceil(iterations / fanOutStreams) * fanOutStreams : iterations
    await run(warmUpIterations)
    const nanos: Array<number> = []
    const checksums = new Set<number>()
    while (nanos.length < rounds) {
      const startedAt = process.hrtime.bigint()
      checksums.add(await run(count))
      nanos.push(Number(process.hrtime.bigint() - startedAt) / count)
    }
    progress(`micro, ${name}: ${formatNumber(median(nanos))} ns`)
    metrics.push(makeMetric(name, "ns", { corrente: nanos }))
    if (checksums.size !== 1) unsteady.push(name)
  }
  progress("micro, commit function")
  const commit = await measureCommits(rounds, commits)
  return {
    suite: "micro",
    parameters: { ...sizes[size], "commit function": "redis-benchmark, 64 connections, fsync always" },
    metrics: [...metrics, ...commit.metrics],
    targets: [],
    checks: [problemsCheck("checksums", unsteady, "the same in every round"), commit.check],
  }
}
