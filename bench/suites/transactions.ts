import type { LoadJob, LoadResult } from "../load/job.ts"
import type { AnsweredCharge, ChargeWorkloadOptions } from "../load/workload.ts"
import type { Metric, Progress, Size, SuiteResult } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { auditAndClear } from "../support/audit.ts"
import { startWorker, type Worker } from "../support/child.ts"
import { residentMiBOf } from "../support/processUsage.ts"
import { type Side, type SideName, sideNames, withSides } from "../support/sides.ts"
import { median } from "../support/statistics.ts"
import { compareAnswers } from "./compareAnswers.ts"
import { Proof } from "./proof.ts"
import {
  latencyMetrics,
  targetsOf,
  throughputMetrics,
  throughputOf,
  type Window,
  type WindowsBySide,
} from "./transactionMetrics.ts"
import { type Operation, operations, pageSize } from "./transactionOperations.ts"

/** Many short rounds rather than few long ones: the closer in time a pair is, the more its two sides have in common. */
const sizes = {
  small: {
    connections: 16,
    rounds: 2,
    latencyRounds: 1,
    warmUpMillis: 100,
    throughputMillis: 120,
    latencyMillis: 120,
  },
  default: {
    connections: 64,
    rounds: 7,
    latencyRounds: 7,
    warmUpMillis: 3_000,
    throughputMillis: 1_500,
    latencyMillis: 1_500,
  },
  full: {
    connections: 64,
    rounds: 15,
    latencyRounds: 15,
    warmUpMillis: 10_000,
    throughputMillis: 5_000,
    latencyMillis: 5_000,
  },
} as const satisfies Record<Size, object>

/**
 * Load before each measured window, as a share of its length: the other sides have used the processor's caches
 * meanwhile.
 */
const rampShare = 0.2
/** A side that takes 5 ms per picture is measured soon enough. */
const shareOfTime = (side: Side): number => (side.name === "fastify-qrcode" ? 0.5 : 1)
/** Longest time to create charges for reads. */
const stockMillis = 500

const latencySides: ReadonlyArray<SideName> = ["corrente", "bare"]

/** What is measured of an operation in rounds. */
interface Phase {
  readonly name: "throughput" | "latency"
  readonly rounds: number
  readonly measureMillis: number
  /** Undefined: closed loop. */
  readonly ratePerSecond: number | undefined
}

/** One run of the suite. */
class Run {
  readonly proof: Proof
  readonly #size: (typeof sizes)[Size]
  readonly #load: Worker<LoadJob, LoadResult>
  readonly #sides: ReadonlyArray<Side>
  readonly #progress: Progress

  constructor(
    size: (typeof sizes)[Size],
    load: Worker<LoadJob, LoadResult>,
    sides: ReadonlyArray<Side>,
    progress: Progress,
  ) {
    this.#size = size
    this.#load = load
    this.#sides = sides
    this.#progress = progress
    this.proof = new Proof(sides.map(({ name }) => name))
  }

  /** Measures throughput first, then latency at half of what the slower of the service and `bare` has reached. */
  async measure(operation: Operation): Promise<ReadonlyArray<Metric>> {
    const sides = this.#sides.filter(({ name }) => operation.sides.includes(name))
    const workloads = new Map<Side, () => ChargeWorkloadOptions>()
    for (const side of sides) {
      this.#progress(`${operation.name}: warming up ${side.name}`)
      const workload = await operation.prepare(side, (stock) => this.#makeCharges(side, stock))
      workloads.set(side, workload)
      await this.#run(operation, side, workload(), this.#size.warmUpMillis * shareOfTime(side), undefined)
    }
    const workloadOf = (side: Side) => workloads.get(side)?.()
    const closed = await this.#rounds(operation, sides, workloadOf, {
      name: "throughput",
      rounds: this.#size.rounds,
      measureMillis: this.#size.throughputMillis,
      ratePerSecond: undefined,
    })
    const slower = Math.min(...latencySides.map((side) => median((closed[side] ?? []).map(throughputOf))))
    const ratePerSecond = Math.max(1, Math.round(slower / 2))
    const pair = sides.filter(({ name }) => latencySides.includes(name))
    const open = await this.#rounds(operation, pair, workloadOf, {
      name: "latency",
      rounds: this.#size.latencyRounds,
      measureMillis: this.#size.latencyMillis,
      ratePerSecond,
    })
    for (const side of sides) await this.#audit(side)
    return [
      ...throughputMetrics(operation.name, closed),
      ...latencyMetrics(operation.name, ratePerSecond, open),
    ]
  }

  /** Runs all sides in turn, every other round in reverse order, so that none always comes first. */
  async #rounds(
    operation: Operation,
    sides: ReadonlyArray<Side>,
    workloadOf: (side: Side) => ChargeWorkloadOptions | undefined,
    phase: Phase,
  ): Promise<WindowsBySide> {
    const windows: Partial<Record<SideName, Array<Window>>> = {}
    for (let round = 0; round < phase.rounds; round++) {
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const workload = workloadOf(side)
        if (workload === undefined) continue
        const millis = phase.measureMillis * shareOfTime(side)
        const result = await this.#run(operation, side, workload, millis, phase.ratePerSecond)
        windows[side.name] = [...(windows[side.name] ?? []), result]
        const at = `round ${round + 1} of ${phase.rounds}, ${side.name}`
        this.#progress(`${operation.name} ${phase.name}, ${at}: ${formatNumber(throughputOf(result))}/s`)
      }
    }
    return windows
  }

  async #run(
    operation: Operation,
    side: Side,
    workload: ChargeWorkloadOptions,
    measureMillis: number,
    ratePerSecond: number | undefined,
  ): Promise<Window> {
    const result = await this.#ask(side, workload, measureMillis, ratePerSecond)
    const memory = { serverMiB: residentMiBOf(side.pid), redisMiB: residentMiBOf(side.redis.pid) }
    if (operation.isWriting) await this.#audit(side)
    return { ...result, ...memory }
  }

  /** Retries if the machine is too busy for a page at once. */
  async #makeCharges(side: Side, stock: () => ChargeWorkloadOptions) {
    const charges: Array<AnsweredCharge> = []
    while (charges.length < pageSize) {
      const made = await this.#ask(side, stock(), Math.min(this.#size.warmUpMillis, stockMillis), undefined)
      if (made.problemCount > 0) throw new Error(`${side.name}: ${made.problems.join("; ")}`)
      charges.push(...made.charges)
    }
    return charges
  }

  async #ask(
    side: Side,
    workload: ChargeWorkloadOptions,
    measureMillis: number,
    ratePerSecond: number | undefined,
  ): Promise<LoadResult> {
    const result = await this.#load.ask({
      port: side.port,
      apiKey: side.apiKey,
      workload,
      connections: this.#size.connections,
      warmUpMillis: measureMillis * rampShare,
      measureMillis,
      ratePerSecond,
      processes: { server: side.pid, redis: side.redis.pid },
    })
    this.proof.answered(side.name, result)
    return result
  }

  /** Reads back what a side has stored, and removes it. */
  async #audit(side: Side): Promise<void> {
    this.proof.stored(side.name, await auditAndClear(side))
  }
}

/**
 * What users do with charges: the service beside peers and a bare server that does the same commit and nothing else.
 */
export const runTransactions = (size: Size, progress: Progress): Promise<SuiteResult> =>
  withSides(sideNames, {}, async (sides) => {
    const parameters = sizes[size]
    const load = startWorker<LoadJob, LoadResult>(new URL("../load/main.ts", import.meta.url))
    try {
      const sameAnswers = await compareAnswers(sides)
      for (const side of sides) await auditAndClear(side)
      const run = new Run(parameters, load, sides, progress)
      const metrics: Array<Metric> = []
      for (const operation of operations) metrics.push(...(await run.measure(operation)))
      return {
        suite: "transactions",
        parameters: { ...parameters, ...notes },
        metrics,
        targets: targetsOf(metrics),
        checks: [sameAnswers, ...run.proof.checks()],
      }
    } finally {
      await load.stop()
    }
  })

const notes = {
  sides: "one process and one redis-server each: append-only, fsync always, noeviction",
  throughput: "closed loop, one request at a time per connection",
  latency:
    "open loop at half the throughput of the slower of corrente and bare, timed from when each request was due",
  memory: "resident set at the end of each closed-loop window",
  bare: "uWebSockets.js and ioredis; no validation, actors, limits or deadlines; lists by one pipeline of documents",
  fastify:
    "Fastify 5, Ajv for headers, path and body, JSON by a compiled schema; auto-pipelining for commits only, as in bare: reads are faster without it",
  "QR of bare and fastify":
    "package qr: raw, ecc medium, border 4, fixed mask, byte; 1-bit PNG, 4 pixels per module, zlib level 1",
  "QR of fastify-qrcode": "package qrcode: toBuffer with ecc M and its defaults; windows of half the length",
  replay:
    "100 charges per window, then repeated under their Idempotency-Keys; each answer must equal the first, byte for byte",
  mixed: "80 % GET of the newest charges of the window, 20 % POST",
  amounts: "end in 01: never paid, so no side has work besides the requests",
}
