import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as keys from "../../src/store/keys.ts"
import type { LoadJob, LoadResult } from "../load/job.ts"
import type { Check, Metric, Progress, Target } from "../report/result.ts"
import { makeMetric } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import type { Worker } from "../support/child.ts"
import { type FilledSeller, fillSellers } from "../support/filler.ts"
import { residentMiBOf } from "../support/processUsage.ts"
import { type Side, startSide } from "../support/sides.ts"

/** Number of sellers, and how they arrive. */
export interface SellersParameters {
  readonly sellers: number
  readonly sellersPerSecond: number
  /** When an actor without work leaves memory. */
  readonly actorIdleMillis: number
  /** How long the service is then left alone: an idle V8 returns memory by itself. */
  readonly settleMillis: number
}

/** The results. */
export interface SellersResult {
  readonly metrics: ReadonlyArray<Metric>
  readonly target: Target
  readonly checks: ReadonlyArray<Check>
}

const preload = fileURLToPath(new URL("../support/idlePreload.ts", import.meta.url))
const connections = 64
/** Never paid (docs/contract/transactions.md#test-amounts): a payment would wake its seller again. */
const amountEnding = 1
/** Charges of one seller before all others come: code is compiled, buffers and pools have grown. */
const warmUpCharges = 5_000
const sampleMillis = 100
const collections = 3
/** Target: memory after all have left, relative to before they came. */
const memoryRatioMax = 1.1
/** Sellers that come back after all have left. */
const returningSellers = 50

/** The service under this load. */
interface Run {
  readonly side: Side
  readonly load: Worker<LoadJob, LoadResult>
  readonly parameters: SellersParameters
}

/** Creates `count` charges with these keys in turn. */
const charge = ({ side, load, parameters }: Run, apiKeys: ReadonlyArray<string>, count: number) =>
  load.ask({
    port: side.port,
    apiKey: side.apiKey,
    workload: {
      kind: "create",
      amountEnding,
      keepMax: 0,
      keyPrefix: randomUUID().slice(0, 8),
      apiKeys,
    },
    connections,
    warmUpMillis: 0,
    measureMillis: (count / parameters.sellersPerSecond) * 1_000,
    ratePerSecond: parameters.sellersPerSecond,
    processes: {},
  })

/** Waits until all actors that have worked so far have left; on a busy machine that takes longer. */
const passivate = ({ parameters }: Run): Promise<void> => sleep(parameters.actorIdleMillis * 1.25 + 250)

/** Memory after a forced garbage collection, in MiB: the least of a few measurements. */
const collectedMiB = async ({ side }: Run): Promise<number> => {
  const looks: Array<number> = []
  for (let look = 0; look < collections; look++) {
    process.kill(side.pid, "SIGUSR2")
    await sleep(sampleMillis * 2)
    looks.push(residentMiBOf(side.pid))
  }
  return Math.min(...looks)
}

/** The result of `work`, and the service's peak memory meanwhile. */
const withPeak = async <A>(
  { side }: Run,
  work: Promise<A>,
): Promise<readonly [answer: A, peakMiB: number]> => {
  let peakMiB = residentMiBOf(side.pid)
  const look = () => {
    peakMiB = Math.max(peakMiB, residentMiBOf(side.pid))
  }
  const timer = setInterval(look, sampleMillis)
  try {
    const answer = await work
    look()
    return [answer, peakMiB]
  } finally {
    clearInterval(timer)
  }
}

/** How many of the sellers hold as many charges as they should. */
const countCharged = async ({ side }: Run, sellers: ReadonlyArray<FilledSeller>, charges: number) => {
  const commands = sellers.map(({ sellerId }) => ["zcard", keys.transactionsKey(sellerId, "test")])
  const counts = (await side.redis.client.pipeline(commands).exec()) ?? []
  return counts.filter(([, count]) => count === charges).length
}

const measure = async (
  run: Run,
  sellers: ReadonlyArray<FilledSeller>,
  progress: Progress,
): Promise<SellersResult> => {
  const { side, parameters } = run
  const apiKeys = sellers.map(({ apiKey }) => apiKey)
  const atStart = await collectedMiB(run)
  const warmUp = await charge(run, [side.apiKey], Math.min(warmUpCharges, sellers.length))
  await passivate(run)
  const before = await collectedMiB(run)
  progress(`growth: ${sellers.length} sellers come, ${formatNumber(parameters.sellersPerSecond)}/s`)
  const [came, peak] = await withPeak(run, charge(run, apiKeys, sellers.length))
  const awake = Math.min(sellers.length, (parameters.sellersPerSecond * parameters.actorIdleMillis) / 1_000)
  const withAwake = await collectedMiB(run)
  progress("growth: all sellers leave")
  await passivate(run)
  await sleep(parameters.settleMillis)
  const left = residentMiBOf(side.pid)
  const after = await collectedMiB(run)
  const charged = await countCharged(run, sellers, 1)
  const returning = apiKeys.slice(0, returningSellers)
  const returned = await charge(run, returning, returning.length)
  const chargedAgain = await countCharged(run, sellers, 2)
  const problems = [...warmUp.problems, ...came.problems, ...returned.problems]
  const metricOf = (name: string, value: number) =>
    makeMetric(`memory, ${name}`, "MiB", { corrente: [value] })
  return {
    metrics: [
      metricOf("at start, collected", atStart),
      metricOf("before the sellers, collected", before),
      metricOf("at the peak", peak),
      metricOf(`${awake.toLocaleString("en-US")} sellers awake, collected`, withAwake),
      metricOf("all sellers gone", left),
      metricOf("all sellers gone, collected", after),
      makeMetric("memory of a seller that is awake", "KiB", {
        corrente: [((withAwake - before) * 1_024) / awake],
      }),
    ],
    target: {
      name: `memory after ${sellers.length.toLocaleString("en-US")} sellers at most ${memoryRatioMax} of before`,
      measured: after / before,
      isMet: after / before <= memoryRatioMax,
    },
    checks: [
      {
        name: "sellers",
        isRight: problems.length === 0 && charged === sellers.length && chargedAgain === returning.length,
        detail:
          problems.slice(0, 3).join("; ") ||
          `${charged} of ${sellers.length} charged once, ${chargedAgain} of ${returning.length} again after they had left`,
      },
    ],
  }
}

/** Resident memory of a service whose sellers come once and leave: before, at its peak and after. */
export const measureSellers = async (
  load: Worker<LoadJob, LoadResult>,
  parameters: SellersParameters,
  progress: Progress,
): Promise<SellersResult> => {
  const settings = { BENCH_ACTOR_IDLE_MILLIS: String(parameters.actorIdleMillis) }
  const side = await startSide("corrente", settings, ["--expose-gc", "--import", preload])
  try {
    progress(`growth: making ${parameters.sellers} sellers`)
    const sellers = await fillSellers(side.redis.url, parameters.sellers)
    return await measure({ side, load, parameters }, sellers, progress)
  } finally {
    await side.stop()
  }
}
