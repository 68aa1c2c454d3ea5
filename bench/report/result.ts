import { median, medianOfRatios } from "../support/statistics.ts"

/** What is measured, in the order of columns: the service, ceilings that do the minimum, and what users would choose instead. */
export const contenderNames = [
  /** As its users start it; in two processes (PROCESSES=2); in one that waits for replicas; in one on a Redis Cluster of three primaries. */
  ...["corrente", "corrente-2", "corrente-replicas", "corrente-cluster"],
  /** uWebSockets.js and ioredis (in `deliveries`: a sorted set and undici) and nothing else: the ceiling. */
  "bare",
  /** Fastify, Ajv and ioredis with the same atomic script and the same fast QR; the same with the package `qrcode`. */
  ...["fastify", "fastify-qrcode"],
  /** nginx with the nchan module; BullMQ with undici. */
  ...["nchan", "bullmq"],
] as const
export type Contender =
  | (
      | "corrente"
      | "corrente-2"
      | "corrente-replicas"
      | "corrente-cluster"
      | "bare"
      | "fastify"
      | "fastify-qrcode"
    )
  | ("nchan" | "bullmq")

/** `small` takes seconds and only proves that it works, `default` minutes, `full` as long as it helps. */
export type Size = "small" | "default" | "full"

/** Parameters by size, from a row for each: small, default, full. */
export const sizesOf = <Parameters extends object>(
  rows: {
    readonly [Name in keyof Parameters]: readonly [
      small: Parameters[Name],
      usual: Parameters[Name],
      full: Parameters[Name],
    ]
  },
): Readonly<Record<Size, Parameters>> => {
  const column = (at: 0 | 1 | 2) =>
    Object.fromEntries(
      Object.entries<ReadonlyArray<unknown>>(rows).map(([name, values]) => [name, values[at]]),
    ) as Parameters
  return { small: column(0), default: column(1), full: column(2) }
}

/** One value per round for each measured contender; NaN if it could not be measured. */
type RoundValues = Readonly<Partial<Record<Contender, ReadonlyArray<number>>>>

/** The unit of a metric. `%` is a percentage; `count` a number of anything; `1/s` counts requests, events or deliveries. */
export type Unit = "1/s" | "ns" | "us" | "ms" | "s" | "cores" | "B" | "KiB" | "MiB" | "%" | "count"

export interface Metric {
  readonly name: string
  readonly unit: Unit
  readonly values: RoundValues
  /** Medians of the rounds' ratios corrente / other, by contender; empty if only the service was measured. */
  readonly ratios: RoundRatios
}
type RoundRatios = Readonly<Partial<Record<Contender, number>>>

/** A target and the measured value. A missed target does not fail a run. */
export interface Target {
  readonly name: string
  readonly measured: number
  readonly isMet: boolean
}

/** A proof that the work was done. A wrong one fails the run. */
export interface Check {
  readonly name: string
  readonly isRight: boolean
  readonly detail: string
}

export interface SuiteResult {
  readonly suite: string
  readonly parameters: Readonly<Record<string, string | number>>
  readonly metrics: ReadonlyArray<Metric>
  readonly targets: ReadonlyArray<Target>
  readonly checks: ReadonlyArray<Check>
}

export type Progress = (line: string) => void

export type RunSuite = (size: Size, progress: Progress) => Promise<SuiteResult>

export const makeMetric = (name: string, unit: Unit, values: RoundValues): Metric => {
  const { corrente, ...others } = values
  const ratios = Object.entries(corrente === undefined ? {} : others)
  return {
    name,
    unit,
    values,
    ratios: Object.fromEntries(
      ratios.map(([other, theirs]) => [other, medianOfRatios(corrente ?? [], theirs)]),
    ),
  }
}

export const oneValue = (name: string, unit: Unit, value: number): Metric =>
  makeMetric(name, unit, { corrente: [value] })

export type Rounds<Round> = ReadonlyMap<Contender, ReadonlyArray<Round>>

/** Runs sides in turn, every other round in reverse order, so that none always comes first. */
export const inTurns = async <Side extends { readonly name: Contender }, Round>(
  sides: ReadonlyArray<Side>,
  rounds: number,
  run: (side: Side, round: number) => Promise<Round>,
): Promise<Rounds<Round>> => {
  const results = new Map<Contender, Array<Round>>(sides.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      results.get(side.name)?.push(await run(side, round))
    }
  }
  return results
}

/** A row of a table of metrics: its name, unit, and value of a round. */
export type MetricRow<Round> = readonly [name: string, unit: Unit, value: (round: Round) => number]

/** The metrics of rounds, one a row. */
export const metricsOf = <Round>(
  rounds: Rounds<Round>,
  rows: ReadonlyArray<MetricRow<Round>>,
): ReadonlyArray<Metric> =>
  rows.map(([name, unit, value]) =>
    makeMetric(
      name,
      unit,
      Object.fromEntries([...rounds].map(([contender, results]) => [contender, results.map(value)])),
    ),
  )

/** A check that is right if there are no problems and `isDone`; `detail` says what was proved. */
export const problemsCheck = (
  name: string,
  problems: ReadonlyArray<string>,
  detail: string,
  isDone = true,
): Check => ({
  name,
  isRight: problems.length === 0 && isDone,
  detail: problems.length === 0 ? detail : problems.slice(0, 5).join("; "),
})

type Bound = { readonly atLeast: number } | { readonly atMost: number }

/** A target that is named already. A value that could not be measured, or was divided by zero, misses it. */
export const targetOf = (name: string, measured: number, bound: Bound): Target => ({
  name,
  measured,
  isMet:
    Number.isFinite(measured) && ("atLeast" in bound ? measured >= bound.atLeast : measured <= bound.atMost),
})

const boundText = (bound: Bound): string =>
  "atLeast" in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`

/** A target for a metric relative to another contender's. */
export const ratioTarget = (
  metrics: ReadonlyArray<Metric>,
  name: string,
  other: Contender,
  bound: Bound,
): Target => {
  const measured = metrics.find((metric) => metric.name === name)?.ratios[other] ?? Number.NaN
  return targetOf(`${name} ${boundText(bound)} of ${other}`, measured, bound)
}

/** A target for the median of the service's own values of a metric. */
export const valueTarget = (metrics: ReadonlyArray<Metric>, name: string, bound: Bound): Target => {
  const metric = metrics.find((found) => found.name === name)
  const title = `${name} ${boundText(bound)} ${metric?.unit ?? ""}`.trimEnd()
  return targetOf(title, median(metric?.values.corrente ?? []), bound)
}
