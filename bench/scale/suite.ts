import { randomUUID } from "node:crypto"
import type { LoadJob, LoadResult } from "../load/job.ts"
import type { AnsweredCharge, ChargeWorkloadOptions } from "../load/workload.ts"
import {
  type Check,
  type Metric,
  makeMetric,
  type Progress,
  type Size,
  type SuiteResult,
  type Target,
} from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { startWorker, type Worker } from "../support/child.ts"
import { median } from "../support/statistics.ts"
import { type Layout, type LayoutName, layoutNames, startLayout } from "./layouts.ts"

const sizes = {
  small: { connections: 16, sellers: 2, rounds: 1, warmUpMillis: 100, measureMillis: 200 },
  default: { connections: 64, sellers: 6, rounds: 5, warmUpMillis: 3_000, measureMillis: 2_000 },
  full: { connections: 64, sellers: 12, rounds: 11, warmUpMillis: 10_000, measureMillis: 5_000 },
} as const satisfies Record<Size, object>

const operations = ["POST", "GET"] as const
type Operation = (typeof operations)[number]

/** Never paid (docs/contract/transactions.md#test-amounts). */
const amountEnding = 1
const chargesToRead = 1_000
/** Target: two processes relative to one, if there are enough cores. */
const scaleTarget = 1.7

type Windows = Record<LayoutName, Array<LoadResult>>

/** What a layout has acknowledged over the whole run. */
interface Tally {
  created: number
  problems: ReadonlyArray<string>
}

class Run {
  readonly tallies: Record<LayoutName, Tally>
  readonly #size: (typeof sizes)[Size]
  readonly #load: Worker<LoadJob, LoadResult>
  readonly #layouts: ReadonlyArray<Layout>
  readonly #progress: Progress
  readonly #charges = new Map<LayoutName, ReadonlyArray<AnsweredCharge>>()

  constructor(
    size: (typeof sizes)[Size],
    load: Worker<LoadJob, LoadResult>,
    layouts: ReadonlyArray<Layout>,
    progress: Progress,
  ) {
    this.#size = size
    this.#load = load
    this.#layouts = layouts
    this.#progress = progress
    const none = (): Tally => ({ created: 0, problems: [] })
    this.tallies = { corrente: none(), "corrente-2": none(), "corrente-cluster": none() }
  }

  /** Runs all layouts in turn, every other round in reverse order. */
  async measure(operation: Operation): Promise<ReadonlyArray<Metric>> {
    for (const layout of this.#layouts) {
      this.#progress(`scale, ${operation}: warming up ${layout.name}`)
      if (operation === "GET") await this.#stock(layout)
      await this.#ask(layout, this.#workload(operation, layout), this.#size.warmUpMillis)
    }
    const windows: Windows = { corrente: [], "corrente-2": [], "corrente-cluster": [] }
    for (let round = 0; round < this.#size.rounds; round++) {
      for (const layout of round % 2 === 0 ? this.#layouts : this.#layouts.toReversed()) {
        const window = await this.#ask(layout, this.#workload(operation, layout), this.#size.measureMillis)
        windows[layout.name].push(window)
        const at = `round ${round + 1} of ${this.#size.rounds}, ${layout.name}`
        this.#progress(`scale, ${operation}, ${at}: ${formatNumber(window.completed / window.seconds)}/s`)
      }
    }
    return metricsOf(operation, windows)
  }

  /** Charges of the first seller, which reads use. */
  async #stock(layout: Layout): Promise<void> {
    const workload = { kind: "create", ...createOptions(), keepMax: chargesToRead } as const
    const { charges } = await this.#ask(layout, workload, this.#size.measureMillis)
    this.#charges.set(layout.name, charges)
  }

  #workload(operation: Operation, layout: Layout): ChargeWorkloadOptions {
    return operation === "POST"
      ? { kind: "create", ...createOptions(), keepMax: 0, apiKeys: layout.apiKeys }
      : { kind: "read", charges: this.#charges.get(layout.name) ?? [] }
  }

  async #ask(layout: Layout, workload: ChargeWorkloadOptions, millis: number): Promise<LoadResult> {
    const result = await this.#load.ask({
      port: layout.port,
      apiKey: layout.apiKeys[0] ?? "",
      workload,
      connections: this.#size.connections,
      warmUpMillis: millis * 0.2,
      measureMillis: millis,
      ratePerSecond: undefined,
      processes: layout.processes,
    })
    const tally = this.tallies[layout.name]
    tally.created += result.created
    tally.problems = [...tally.problems, ...result.problems].slice(0, 3)
    return result
  }
}

const createOptions = () => ({ amountEnding, keyPrefix: randomUUID().slice(0, 8) })

/** CPU time per response of all processes of a kind, in us. */
const cpuOf = (kind: string) => (window: LoadResult) =>
  Object.entries(window.cpuMillis)
    .filter(([name]) => name.startsWith(kind))
    .reduce((sum, [, millis]) => sum + millis * 1_000, 0) / window.completed

const metricsOf = (operation: Operation, windows: Windows): ReadonlyArray<Metric> => {
  const values = (value: (window: LoadResult) => number) =>
    Object.fromEntries(layoutNames.map((name) => [name, windows[name].map(value)]))
  return [
    makeMetric(
      `${operation} throughput`,
      "1/s",
      values(({ completed, seconds }) => completed / seconds),
    ),
    makeMetric(`${operation} CPU of the servers per request`, "us", values(cpuOf("server "))),
    makeMetric(`${operation} CPU of Redis per request`, "us", values(cpuOf("redis "))),
    makeMetric(`${operation} CPU of the load per request`, "us", values(cpuOf("load"))),
  ]
}

const targetsOf = (metrics: ReadonlyArray<Metric>): ReadonlyArray<Target> =>
  operations.map((operation) => {
    const values = metrics.find(({ name }) => name === `${operation} throughput`)?.values
    const one = values?.corrente ?? []
    const ratios = (values?.["corrente-2"] ?? []).map((two, round) => two / (one[round] ?? Number.NaN))
    const measured = median(ratios)
    const name = `${operation}: two processes at least ${scaleTarget} of one (cores: ${navigator.hardwareConcurrency}, shared with Redis and the load)`
    return { name, measured, isMet: measured >= scaleTarget }
  })

/** Recomputes balances, counters and indexes: everything acknowledged is there, with its event, and nothing else. */
const checkOf = async (layout: Layout, { created, problems }: Tally): Promise<ReadonlyArray<Check>> => {
  const audit = (await layout.ops(["audit", "verify", "--full"])) as {
    readonly transactions: number
    readonly events: number
  }
  return [
    {
      name: `${layout.name}, charges`,
      isRight: created > 0 && audit.transactions === created && audit.events === created,
      detail: `${created} answered 201, ${audit.transactions} audited, ${audit.events} events`,
    },
    {
      name: `${layout.name}, answers`,
      isRight: problems.length === 0,
      detail: problems.length === 0 ? "all as expected" : problems.join("; "),
    },
  ]
}

/** POST and GET of charges with one process, with two, and on a Redis Cluster. */
export const runScale = async (size: Size, progress: Progress): Promise<SuiteResult> => {
  const parameters = sizes[size]
  const layouts: Array<Layout> = []
  const load = startWorker<LoadJob, LoadResult>(new URL("../load/main.ts", import.meta.url))
  try {
    for (const name of layoutNames) layouts.push(await startLayout(name, parameters.sellers))
    const run = new Run(parameters, load, layouts, progress)
    const metrics: Array<Metric> = []
    for (const operation of operations) metrics.push(...(await run.measure(operation)))
    const checks: Array<Check> = []
    for (const layout of layouts) checks.push(...(await checkOf(layout, run.tallies[layout.name])))
    return {
      suite: "scale",
      parameters: { ...parameters, ...notes },
      metrics,
      targets: targetsOf(metrics),
      checks,
    }
  } finally {
    await load.stop()
    for (const layout of layouts) await layout.stop()
  }
}

const notes = {
  layouts:
    "each with its own Redis (append-only, fsync always); the Cluster has three primaries and no replicas",
  throughput: "closed loop; POST by all sellers in turn, GET by one of them",
  proof: "ops audit verify on each layout",
}
