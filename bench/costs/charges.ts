import { randomUUID } from "node:crypto"
import { traceIdOf } from "../../schema/trace.ts"
import * as keys from "../../src/store/keys.ts"
import type { LoadResult } from "../load/job.ts"
import type { AnsweredCharge, ChargeWorkloadOptions } from "../load/workload.ts"
import type { Check, Metric, Progress } from "../report/result.ts"
import { makeMetric } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { cpuMicrosPerAnswer } from "../suites/cpu.ts"
import type { Proof } from "../suites/proof.ts"
import { throughputOf } from "../suites/transactionMetrics.ts"
import { auditAndClear } from "../support/audit.ts"
import { turns } from "../support/turns.ts"
import type { Cost } from "./cost.ts"
import type { CostEnvironment, CostService } from "./services.ts"
import type { CostSize } from "./sizes.ts"
import type { SliceResult, SliceSums } from "./slices.ts"

/** Never paid (docs/contract/transactions.md#test-amounts), so nothing else happens beside the requests. */
const amountEnding = 1
/** Charges that reads are spread over. */
const chargesToRead = 500
/** Load before each measured window, as a share of its length. */
const rampShare = 0.2
/** What the load generator sends where it sends one. */
const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

type Operation = "POST" | "GET"

/** One side of a pair: a service, and whether requests bring a trace id. */
interface ChargeSide {
  readonly service: CostService
  readonly isTraced: boolean
}

/** The pairs of charges: with and without what is named. */
const pairsOf = ({ services }: CostEnvironment) => {
  const whole = { service: services.whole, isTraced: false }
  const of = (service: CostService, isTraced = false): ChargeSide => ({ service, isTraced })
  return [
    { cost: "nothing", operations: ["POST", "GET"], with: whole, without: of(services["whole again"]) },
    { cost: "series and search", operations: ["POST"], with: whole, without: of(services["without series"]) },
    { cost: "a traceparent", operations: ["POST", "GET"], with: of(services.whole, true), without: whole },
  ] as const satisfies ReadonlyArray<{
    readonly cost: Cost
    readonly operations: ReadonlyArray<Operation>
    readonly with: ChargeSide
    readonly without: ChargeSide
  }>
}

/** Measures POST and GET of charges, pair by pair. */
export class ChargeCosts {
  readonly #environment: CostEnvironment
  readonly #size: CostSize
  readonly #proof: Proof
  readonly #progress: Progress
  readonly #untraced: Array<string> = []

  constructor(environment: CostEnvironment, size: CostSize, proof: Proof, progress: Progress) {
    this.#environment = environment
    this.#size = size
    this.#proof = proof
    this.#progress = progress
  }

  async measure(): Promise<ReadonlyArray<Metric>> {
    const pairs = pairsOf(this.#environment)
    const metrics: Array<Metric> = []
    for (const operation of ["POST", "GET"] as const) {
      for (const service of Object.values(this.#environment.services)) {
        this.#progress(`costs, ${operation}: warming up, ${service.variant}`)
        await this.#window({ service, isTraced: false }, operation, this.#size.warmUpMillis, itself)
      }
      for (const pair of pairs) {
        if (!pair.operations.some((name) => name === operation)) continue
        const run = async (side: ChargeSide) => {
          const result = await this.#window(side, operation, this.#size.chargeMillis, itself)
          this.#progress(`costs, ${operation}, ${pair.cost}: ${formatNumber(throughputOf(result))}/s`)
          return result
        }
        const rounds = await turns(
          this.#size.chargeRounds,
          () => run(pair.with),
          () => run(pair.without),
        )
        metrics.push(...metricsOf(`${operation}, ${pair.cost}`, rounds))
      }
      metrics.push(...(await this.#inSlices(operation, "nothing, one process")))
      metrics.push(...(await this.#inSlices(operation, "metrics")))
    }
    return metrics
  }

  /** Measures in slices of windows at the service whose metrics can be switched off. */
  async #inSlices(operation: Operation, cost: "nothing, one process" | "metrics") {
    const { metricsSwitch, services } = this.#environment
    const side = { service: services["switched metrics"], isTraced: false }
    const rounds: Array<SliceResult> = []
    while (rounds.length < this.#size.sliceRounds) {
      const round = await this.#window(side, operation, this.#size.sliceRoundMillis, (load) =>
        metricsSwitch.slices(load, cost === "metrics"),
      )
      this.#progress(`costs, ${operation}, ${cost}, in slices: ${formatNumber(rateOf(round.with))}/s`)
      rounds.push(round)
    }
    const values = (value: (sums: SliceSums) => number) => ({
      corrente: rounds.map((round) => value(round.with)),
      without: rounds.map((round) => value(round.without)),
    })
    return [
      makeMetric(`${operation}, ${cost}: throughput`, "1/s", values(rateOf)),
      makeMetric(
        `${operation}, ${cost}: CPU`,
        "us",
        values(({ cpuMicros, answers }) => cpuMicros / answers),
      ),
    ]
  }

  /** Whether charges have the trace ids that they should have. */
  get traceCheck(): Check {
    const wrong = this.#untraced
    return {
      name: "trace ids",
      isRight: wrong.length === 0,
      detail:
        wrong.length === 0 ? "of the requests that bring one, and no others" : `wrong: ${wrong.join(", ")}`,
    }
  }

  /** One window, measured as `measure` does; what it has created is read back and removed. */
  async #window<A>(
    side: ChargeSide,
    operation: Operation,
    millis: number,
    measure: (load: () => Promise<LoadResult>) => Promise<A>,
  ): Promise<A> {
    const keyPrefix = randomUUID().slice(0, 8)
    const create: ChargeWorkloadOptions = { kind: "create", amountEnding, keepMax: chargesToRead, keyPrefix }
    if (operation === "POST") {
      const result = await measure(async () => {
        const created = await this.#ask(side, create, millis)
        await this.#checkTrace(side, created.charges[0])
        return created
      })
      await this.#clear(side)
      return result
    }
    let charges: ReadonlyArray<AnsweredCharge> = []
    while (charges.length === 0) charges = (await this.#ask(side, create, stockMillis)).charges
    const read = { kind: "read", charges } as const
    const result = await measure(() => this.#ask(side, read, millis))
    await this.#clear(side)
    return result
  }

  async #ask(
    { service: { side }, isTraced }: ChargeSide,
    workload: ChargeWorkloadOptions,
    measureMillis: number,
  ): Promise<LoadResult> {
    const result = await this.#environment.load.ask({
      port: side.port,
      apiKey: side.apiKey,
      ...(isTraced ? { traceparent } : {}),
      workload,
      connections: this.#size.connections,
      warmUpMillis: measureMillis * rampShare,
      measureMillis,
      ratePerSecond: undefined,
      processes: { server: side.pid, redis: side.redis.pid },
    })
    this.#proof.answered(side.name, result)
    return result
  }

  /** A charge has the trace id of its request, or one of its own where that brought none. */
  async #checkTrace({ service: { side }, isTraced }: ChargeSide, charge: AnsweredCharge | undefined) {
    if (charge === undefined) return
    const document = await side.redis.client.hget(keys.transactionKey(charge.id), "document")
    if (traceparent.includes(traceIdOf(document ?? "") ?? "none") !== isTraced) this.#untraced.push(charge.id)
  }

  async #clear({ service: { side } }: ChargeSide): Promise<void> {
    this.#proof.stored(side.name, await auditAndClear(side))
  }
}

/** A window as the load generator saw it. */
const itself = <A>(load: () => Promise<A>): Promise<A> => load()

const rateOf = ({ answers, seconds }: SliceSums): number => answers / seconds

/** How long charges are created for reads. */
const stockMillis = 100

const cpuOfBoth = (window: LoadResult): number =>
  cpuMicrosPerAnswer("server")(window) + cpuMicrosPerAnswer("redis")(window)

const metricsOf = (
  name: string,
  rounds: { readonly with: ReadonlyArray<LoadResult>; readonly without: ReadonlyArray<LoadResult> },
): ReadonlyArray<Metric> => {
  const values = (value: (window: LoadResult) => number) => ({
    corrente: rounds.with.map(value),
    without: rounds.without.map(value),
  })
  return [
    makeMetric(`${name}: throughput`, "1/s", values(throughputOf)),
    makeMetric(`${name}: CPU`, "us", values(cpuOfBoth)),
  ]
}
