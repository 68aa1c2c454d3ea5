import { randomUUID } from "node:crypto"
import type { LoadJob, LoadResult } from "../load/job.ts"
import type { AnsweredCharge, ChargeWorkloadOptions } from "../load/workload.ts"
import type { Check, Metric, Progress, Size, SuiteResult, Target } from "../report/result.ts"
import { makeMetric } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { auditAndClear } from "../support/audit.ts"
import { startWorker, type Worker } from "../support/child.ts"
import { Histogram } from "../support/histogram.ts"
import { type Side, type SideName, sideNames, withSides } from "../support/sides.ts"
import { median } from "../support/statistics.ts"
import { compareAnswers } from "./compareAnswers.ts"
import { cpuMicrosPerAnswer, otherCores } from "./cpu.ts"
import { Proof } from "./proof.ts"

/** Many short rounds rather than few long ones: the closer a pair is in time, the more its two sides have in common. */
const sizes = {
  small: { connections: 16, rounds: 2, warmUpMillis: 100, throughputMillis: 150, latencyMillis: 150 },
  default: { connections: 64, rounds: 9, warmUpMillis: 4_000, throughputMillis: 1_500, latencyMillis: 1_500 },
  full: { connections: 64, rounds: 15, warmUpMillis: 10_000, throughputMillis: 5_000, latencyMillis: 5_000 },
} as const satisfies Record<Size, object>

/** Load before each measured window, of its length: the other side has had the processor's caches in between. */
const rampShare = 0.2
/** Charges that reads are spread over. */
const chargesToRead = 2_000
/** Never paid (decisions 2): the simulator's payments would be work that the bare side does not do. */
const amountEnding = 1

const operations = ["POST", "GET"] as const
type Operation = (typeof operations)[number]

/** Issue targets: throughput of the bare server's. */
const throughputTargets: Readonly<Record<Operation, number>> = { POST: 0.75, GET: 0.65 }

type ResultsBySide = Readonly<Record<SideName, ReadonlyArray<LoadResult>>>

/** One run of the suite. */
class Run {
  readonly proof = new Proof()
  readonly size: (typeof sizes)[Size]
  private readonly load: Worker<LoadJob, LoadResult>
  private readonly sides: ReadonlyArray<Side>
  private readonly progress: Progress
  private readonly charges = new Map<SideName, ReadonlyArray<AnsweredCharge>>()

  constructor(
    size: (typeof sizes)[Size],
    load: Worker<LoadJob, LoadResult>,
    sides: ReadonlyArray<Side>,
    progress: Progress,
  ) {
    this.size = size
    this.load = load
    this.sides = sides
    this.progress = progress
  }

  /** Throughput first, then latency at half of what the slower side has reached. */
  async measure(operation: Operation): Promise<ReadonlyArray<Metric>> {
    if (operation === "GET") await this.makeChargesToRead()
    for (const side of this.sides) {
      this.progress(`${operation}: warming up ${side.name}`)
      await this.run(operation, side, this.size.warmUpMillis, undefined)
    }
    const closed = await this.rounds(operation, "throughput", this.size.throughputMillis, undefined)
    const slower = Math.min(...sideNames.map((side) => median(closed[side].map(throughputOf))))
    const ratePerSecond = Math.max(1, Math.round(slower / 2))
    const open = await this.rounds(operation, "latency", this.size.latencyMillis, ratePerSecond)
    return [...throughputMetrics(operation, closed), ...latencyMetrics(operation, ratePerSecond, open)]
  }

  /** Pairs in turn; every other pair begins with the other side, so that neither always comes second. */
  private async rounds(
    operation: Operation,
    phase: string,
    millis: number,
    ratePerSecond: number | undefined,
  ): Promise<ResultsBySide> {
    const results: Record<SideName, Array<LoadResult>> = { corrente: [], bare: [] }
    for (let round = 0; round < this.size.rounds; round++) {
      for (const side of round % 2 === 0 ? this.sides : this.sides.toReversed()) {
        const result = await this.run(operation, side, millis, ratePerSecond)
        results[side.name].push(result)
        const rate = formatNumber(throughputOf(result))
        this.progress(
          `${operation} ${phase}, round ${round + 1} of ${this.size.rounds}, ${side.name}: ${rate}/s`,
        )
      }
    }
    return results
  }

  private async run(
    operation: Operation,
    side: Side,
    measureMillis: number,
    ratePerSecond: number | undefined,
  ): Promise<LoadResult> {
    const workload: ChargeWorkloadOptions =
      operation === "POST" ? createWorkload(0) : { kind: "read", charges: this.charges.get(side.name) ?? [] }
    const result = await this.ask(side, workload, measureMillis, ratePerSecond)
    if (operation === "POST") await this.audit(side)
    return result
  }

  private async makeChargesToRead(): Promise<void> {
    for (const side of this.sides) {
      const { charges } = await this.ask(
        side,
        createWorkload(chargesToRead),
        this.size.latencyMillis,
        undefined,
      )
      this.charges.set(side.name, charges)
    }
  }

  private async ask(
    side: Side,
    workload: ChargeWorkloadOptions,
    measureMillis: number,
    ratePerSecond: number | undefined,
  ): Promise<LoadResult> {
    const result = await this.load.ask({
      port: side.port,
      apiKey: side.apiKey,
      workload,
      connections: this.size.connections,
      warmUpMillis: measureMillis * rampShare,
      measureMillis,
      ratePerSecond,
      processes: { server: side.pid, redis: side.redis.pid },
    })
    this.proof.answered(side.name, workload.kind, result)
    return result
  }

  /** Reads back what a side has stored, and removes it. */
  async audit(side: Side): Promise<void> {
    this.proof.stored(side.name, await auditAndClear(side))
  }

  async auditAll(): Promise<void> {
    for (const side of this.sides) await this.audit(side)
  }
}

const createWorkload = (keepMax: number): ChargeWorkloadOptions => ({
  kind: "create",
  amountEnding,
  keepMax,
  keyPrefix: randomUUID().slice(0, 8),
})

const throughputOf = ({ completed, seconds }: LoadResult): number => completed / seconds

const bySide = (results: ResultsBySide, value: (result: LoadResult) => number) => ({
  corrente: results.corrente.map(value),
  bare: results.bare.map(value),
})

const throughputMetrics = (operation: Operation, results: ResultsBySide): ReadonlyArray<Metric> => {
  const cpu = (process: string) => bySide(results, cpuMicrosPerAnswer(process))
  return [
    makeMetric(`${operation} throughput`, "1/s", bySide(results, throughputOf)),
    makeMetric(`${operation} CPU of the server per request`, "us", cpu("server")),
    makeMetric(`${operation} CPU of Redis per request`, "us", cpu("redis")),
    makeMetric(`${operation} CPU of the load per request`, "us", cpu("load")),
    makeMetric(`${operation} CPU of anything else`, "cores", bySide(results, otherCores)),
  ]
}

const latencyMetrics = (
  operation: Operation,
  ratePerSecond: number,
  results: ResultsBySide,
): ReadonlyArray<Metric> => {
  const at = `${operation} at ${formatNumber(ratePerSecond)}/s`
  const percentile = (percent: number) =>
    bySide(results, ({ latency }) => new Histogram(latency).percentile(percent))
  const lateness = bySide(results, (result) => new Histogram(result.lateness).percentile(99))
  return [
    makeMetric(`${at}: latency p50`, "ms", percentile(50)),
    makeMetric(`${at}: latency p99`, "ms", percentile(99)),
    makeMetric(`${at}: latency p99.9`, "ms", percentile(99.9)),
    makeMetric(`${at}: load's own lateness p99`, "ms", lateness),
  ]
}

const targetsOf = (metrics: ReadonlyArray<Metric>): ReadonlyArray<Target> =>
  operations.map((operation) => {
    const wanted = throughputTargets[operation]
    const ratio = metrics.find(({ name }) => name === `${operation} throughput`)?.ratio ?? Number.NaN
    return {
      name: `${operation} throughput at least ${wanted} of bare`,
      measured: ratio,
      isMet: ratio >= wanted,
    }
  })

/** POST and GET of charges: the service beside a bare server that does the same commit and nothing else. */
export const runTransactions = (size: Size, progress: Progress): Promise<SuiteResult> =>
  withSides(sideNames, {}, async (sides) => {
    const parameters = sizes[size]
    const load = startWorker<LoadJob, LoadResult>(new URL("../load/main.ts", import.meta.url))
    try {
      const checks: Array<Check> = [await compareAnswers(sides)]
      for (const side of sides) await auditAndClear(side)
      const run = new Run(parameters, load, sides, progress)
      const metrics: Array<Metric> = []
      for (const operation of operations) metrics.push(...(await run.measure(operation)))
      await run.auditAll()
      return {
        suite: "transactions",
        parameters: { ...parameters, ...notes },
        metrics,
        targets: targetsOf(metrics),
        checks: [...checks, ...run.proof.checks()],
      }
    } finally {
      await load.stop()
    }
  })

const notes = {
  sides: "one process each, a redis-server each: append-only, fsync always, noeviction",
  throughput: "closed loop, one request a connection at a time",
  latency: "open loop at half of the slower side's throughput, counted from when a request was due",
  "bare QR":
    "package qr: raw, ecc medium, border 4, fixed mask, byte; 1-bit PNG, 4 pixels a module, zlib level 1",
  amounts: "end in 01: never paid, so that neither side has work besides the requests",
}
