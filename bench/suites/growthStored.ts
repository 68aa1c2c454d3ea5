import { randomUUID } from "node:crypto"
import * as keys from "../../src/store/keys.ts"
import type { LoadJob, LoadResult } from "../load/job.ts"
import type { AnsweredCharge, ChargeWorkloadOptions } from "../load/workload.ts"
import type { Check, Metric, Progress, Target } from "../report/result.ts"
import { makeMetric } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { auditAndClearNewest, type Stored } from "../support/audit.ts"
import type { Worker } from "../support/child.ts"
import { Histogram } from "../support/histogram.ts"
import { residentMiBOf } from "../support/processUsage.ts"
import type { Side } from "../support/sides.ts"
import { medianOfRatios } from "../support/statistics.ts"
import { cpuMicrosPerAnswer } from "./cpu.ts"

/** How growing stores are measured. */
export interface StoredParameters {
  readonly rounds: number
  readonly warmUpMillis: number
  readonly measureMillis: number
}

/** A side, and how many charges its seller has before any load. */
export interface FilledSide {
  readonly side: Side
  readonly stored: number
}

const connections = 64
/** Never paid (docs/contract/transactions.md#test-amounts). */
const amountEnding = 1
/** Charges that reads are spread over, of all that are stored. */
const chargesToRead = 2_000
const pageSize = 50
/** Load before each measured window, as a share of its length. */
const rampShare = 0.2
/** Target: p50 with the most charges, relative to that with the fewest. */
const p50RatioMax = 1.2

/** Rates far below a service's limits, so that latency shows a request's own time. */
const operations = [
  { name: "POST", ratePerSecond: 400 },
  { name: "GET", ratePerSecond: 1_000 },
  { name: "list of 50", ratePerSecond: 100 },
] as const
type Operation = (typeof operations)[number]

const indexOf = ({ sellerId }: Side): string => keys.transactionsKey(sellerId, "test")

/** Charges sampled from all that are stored. */
const sampleCharges = async (side: Side): Promise<ReadonlyArray<AnsweredCharge>> => {
  const { client } = side.redis
  const ids = (await client.zrandmember(indexOf(side), chargesToRead)) as unknown as ReadonlyArray<string>
  const found = await client.pipeline(ids.map((id) => ["hget", keys.transactionKey(id), "document"])).exec()
  return (found ?? []).map(([, document], at) => {
    const { amount } = JSON.parse(String(document)) as { readonly amount: number }
    return { id: ids[at] ?? "", amount, answeredAtMillis: 0 }
  })
}

const workloadOf = async (operation: Operation, side: Side): Promise<() => ChargeWorkloadOptions> => {
  switch (operation.name) {
    case "POST":
      return () => ({ kind: "create", amountEnding, keepMax: 0, keyPrefix: randomUUID().slice(0, 8) })
    case "GET": {
      const charges = await sampleCharges(side)
      return () => ({ kind: "read", charges })
    }
    case "list of 50": {
      const { client } = side.redis
      const ids = await client.zrange(indexOf(side), "+", "-", "BYLEX", "REV", "LIMIT", 0, pageSize)
      return () => ({ kind: "list", ids })
    }
  }
}

/** The work done on a side, and its results. */
export interface StoredTally {
  answered: number
  created: number
  createdSum: number
  problems: Array<string>
  stored: Stored
}

/** Sides that hold more and more, measured in turn. */
export class StoredRun {
  readonly #load: Worker<LoadJob, LoadResult>
  readonly #parameters: StoredParameters
  readonly #progress: Progress
  readonly #tallies = new Map<number, StoredTally>()

  constructor(load: Worker<LoadJob, LoadResult>, parameters: StoredParameters, progress: Progress) {
    this.#load = load
    this.#parameters = parameters
    this.#progress = progress
  }

  /** p50 and p99 at a fixed rate, and CPU per response, of each operation with each number of charges. */
  async measure(sides: ReadonlyArray<FilledSide>): Promise<ReadonlyArray<Metric>> {
    const metrics: Array<Metric> = []
    for (const operation of operations) metrics.push(...(await this.#measureOperation(operation, sides)))
    for (const { side, stored } of sides) {
      const memory = { corrente: [residentMiBOf(side.pid)] }
      metrics.push(makeMetric(`memory of the server, ${countOf(stored)}`, "MiB", memory))
    }
    return metrics
  }

  /** One per side: its work was done, and what it held before is still there. */
  checks(): ReadonlyArray<Check> {
    return [...this.#tallies].map(([stored, tally]) => storedCheck(stored, tally))
  }

  async #measureOperation(
    operation: Operation,
    sides: ReadonlyArray<FilledSide>,
  ): Promise<ReadonlyArray<Metric>> {
    const { rounds, warmUpMillis, measureMillis } = this.#parameters
    const workloads = new Map<number, () => ChargeWorkloadOptions>()
    for (const filled of sides) {
      const workload = await workloadOf(operation, filled.side)
      workloads.set(filled.stored, workload)
      await this.#run(operation, filled, workload(), warmUpMillis)
    }
    const results = new Map<number, Array<LoadResult>>(sides.map(({ stored }) => [stored, []]))
    for (let round = 0; round < rounds; round++) {
      for (const filled of round % 2 === 0 ? sides : sides.toReversed()) {
        const workload = workloads.get(filled.stored)
        if (workload === undefined) continue
        results.get(filled.stored)?.push(await this.#run(operation, filled, workload(), measureMillis))
      }
      this.#progress(`growth, ${operation.name}: round ${round + 1} of ${rounds}`)
    }
    return [...results].flatMap(([stored, own]) => metricsOf(operation, stored, own))
  }

  async #run(
    operation: Operation,
    { side, stored }: FilledSide,
    workload: ChargeWorkloadOptions,
    measureMillis: number,
  ): Promise<LoadResult> {
    const result = await this.#load.ask({
      port: side.port,
      apiKey: side.apiKey,
      workload,
      connections,
      warmUpMillis: measureMillis * rampShare,
      measureMillis,
      ratePerSecond: operation.ratePerSecond,
      processes: { server: side.pid, redis: side.redis.pid },
    })
    const tally = this.#tallyOf(stored)
    tally.answered += result.answered
    tally.created += result.created
    tally.createdSum += result.createdSum
    tally.problems.push(...result.problems)
    const found = await auditAndClearNewest(side, stored)
    tally.stored = {
      charges: tally.stored.charges + found.charges,
      amountSum: tally.stored.amountSum + found.amountSum,
      events: tally.stored.events + found.events,
    }
    return result
  }

  #tallyOf(stored: number): StoredTally {
    const found = this.#tallies.get(stored)
    if (found !== undefined) return found
    const none = { charges: 0, amountSum: 0, events: 0 }
    const tally = { answered: 0, created: 0, createdSum: 0, problems: [], stored: none }
    this.#tallies.set(stored, tally)
    return tally
  }
}

const countOf = (stored: number): string => `${stored.toLocaleString("en-US")} stored`

const p50Name = (operation: Operation, stored: number): string =>
  `${operation.name}, ${countOf(stored)}: latency p50`

const metricsOf = (
  operation: Operation,
  stored: number,
  results: ReadonlyArray<LoadResult>,
): ReadonlyArray<Metric> => {
  const of = (value: (result: LoadResult) => number) => ({ corrente: results.map(value) })
  const percentile = (percent: number) => of(({ latency }) => new Histogram(latency).percentile(percent))
  const prefix = `${operation.name}, ${countOf(stored)}`
  return [
    makeMetric(p50Name(operation, stored), "ms", percentile(50)),
    makeMetric(`${prefix}: latency p99`, "ms", percentile(99)),
    makeMetric(`${prefix}: CPU of the server`, "us", of(cpuMicrosPerAnswer("server"))),
    makeMetric(`${prefix}: CPU of Redis`, "us", of(cpuMicrosPerAnswer("redis"))),
  ]
}

/** Whether everything requested of a side was done, and nothing that it held before is gone. */
export const storedCheck = (
  stored: number,
  { answered, created, createdSum, problems, stored: found }: StoredTally,
): Check => ({
  name: countOf(stored),
  isRight:
    problems.length === 0 &&
    created > 0 &&
    answered > created &&
    found.charges === created &&
    found.events === created &&
    found.amountSum === createdSum,
  detail:
    problems.length === 0
      ? `${answered} answers as expected; ${created} created on top, ${found.charges} of them read back with ${found.events} events`
      : problems.slice(0, 3).join("; "),
})

/** The targets: p50 with the most charges relative to that with the fewest, round by round. */
export const storedTargets = (
  metrics: ReadonlyArray<Metric>,
  fewest: number,
  most: number,
): ReadonlyArray<Target> =>
  operations.map((operation) => {
    const valuesOf = (stored: number) =>
      metrics.find(({ name }) => name === p50Name(operation, stored))?.values.corrente ?? []
    const measured = medianOfRatios(valuesOf(most), valuesOf(fewest))
    return {
      name: `${operation.name}, ${countOf(most)}: p50 at most ${p50RatioMax} of that with ${fewest.toLocaleString("en-US")}`,
      measured,
      isMet: measured <= p50RatioMax,
    }
  })

/** What is measured, for the parameters. */
export const storedNote = `one seller's charges; open loop, ${operations
  .map(({ name, ratePerSecond }) => `${name} ${formatNumber(ratePerSecond)}/s`)
  .join(", ")}; a separate server and Redis for each number, in turn`
