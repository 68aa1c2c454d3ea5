import { type Contender, contenderNames } from "../contenders.ts"
import { median, medianOfRatios } from "../support/statistics.ts"

/** How long a run may take: seconds in all and proving only that it works, minutes, or as long as it is good for. */
export type Size = "small" | "default" | "full"

/** One value a round for each contender that was measured; NaN where it could not be. */
export type RoundValues = Readonly<Partial<Record<Contender, ReadonlyArray<number>>>>

/** What a metric's values are counted in. `%` is a share of a hundred; `1/s` requests, events or deliveries. */
export type Unit = "1/s" | "ns" | "us" | "ms" | "s" | "cores" | "B" | "KiB" | "MiB" | "%"

/** Something measured. */
export interface Metric {
  readonly name: string
  readonly unit: Unit
  readonly values: RoundValues
  /** Medians of the rounds' ratios corrente / other, by the other's name; empty where the service alone was measured. */
  readonly ratios: Readonly<Partial<Record<Contender, number>>>
  /** Whether the values followed one another in time: seconds, and no rounds. */
  readonly isOverTime?: boolean
}

/** A goal and what was measured; a missed one fails no run. */
export interface Target {
  readonly name: string
  readonly measured: number
  readonly isMet: boolean
}

/** A proof that the work was done; a wrong one fails the run. */
export interface Check {
  readonly name: string
  readonly isRight: boolean
  readonly detail: string
}

/** What a suite found. */
export interface SuiteResult {
  readonly suite: string
  readonly parameters: Readonly<Record<string, string | number>>
  readonly metrics: ReadonlyArray<Metric>
  readonly targets: ReadonlyArray<Target>
  readonly checks: ReadonlyArray<Check>
}

/** Says on stderr how far a run is. */
export type Progress = (line: string) => void

/** A metric of its rounds' values. */
export const makeMetric = (name: string, unit: Unit, values: RoundValues): Metric => {
  const { corrente } = values
  const ratios: Partial<Record<Contender, number>> = {}
  for (const other of contenderNames) {
    const theirs = values[other]
    if (corrente === undefined || theirs === undefined || other === "corrente") continue
    ratios[other] = medianOfRatios(corrente, theirs)
  }
  return { name, unit, values, ratios }
}

/** What a goal asks of a number. */
export type Bound = { readonly atLeast: number } | { readonly atMost: number }

/** A goal; a number that could not be measured, or was divided by nothing, does not meet it. */
const targetOf = (name: string, bound: Bound, of: string, measured: number): Target => {
  const isAtLeast = "atLeast" in bound
  const wanted = isAtLeast ? bound.atLeast : bound.atMost
  return {
    name: `${name} at ${isAtLeast ? "least" : "most"} ${wanted} ${of}`.trimEnd(),
    measured,
    isMet: Number.isFinite(measured) && (isAtLeast ? measured >= wanted : measured <= wanted),
  }
}

/** A goal for the metric of that name, which may be at least (or at most) so much of another contender's. */
export const ratioTarget = (
  metrics: ReadonlyArray<Metric>,
  name: string,
  other: Contender,
  bound: Bound,
): Target => {
  const measured = metrics.find((metric) => metric.name === name)?.ratios[other] ?? Number.NaN
  return targetOf(name, bound, `of ${other}`, measured)
}

/** A goal for the median of the service's own values of a metric. */
export const valueTarget = (metrics: ReadonlyArray<Metric>, name: string, bound: Bound): Target => {
  const metric = metrics.find((found) => found.name === name)
  return targetOf(name, bound, metric?.unit ?? "", median(metric?.values.corrente ?? []))
}
