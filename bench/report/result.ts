import { type Contender, contenderNames } from "../contenders.ts"
import { median, medianOfRatios } from "../support/statistics.ts"

/**
 * The size of a run: `small` takes seconds and only proves that it works, `default` minutes, `full` as long as it
 * helps.
 */
export type Size = "small" | "default" | "full"

/** One value per round for each measured contender; NaN if it could not be measured. */
export type RoundValues = Readonly<Partial<Record<Contender, ReadonlyArray<number>>>>

/** The unit of a metric. `%` is a percentage; `count` a number of anything; `1/s` counts requests, events or deliveries. */
export type Unit = "1/s" | "ns" | "us" | "ms" | "s" | "cores" | "B" | "KiB" | "MiB" | "%" | "count"

/** A measured metric. */
export interface Metric {
  readonly name: string
  readonly unit: Unit
  readonly values: RoundValues
  /** Medians of the rounds' ratios corrente / other, by contender; empty if only the service was measured. */
  readonly ratios: Readonly<Partial<Record<Contender, number>>>
  /** Whether the values are consecutive in time (seconds) instead of rounds. */
  readonly isOverTime?: boolean
}

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

/** The result of a suite. */
export interface SuiteResult {
  readonly suite: string
  readonly parameters: Readonly<Record<string, string | number>>
  readonly metrics: ReadonlyArray<Metric>
  readonly targets: ReadonlyArray<Target>
  readonly checks: ReadonlyArray<Check>
}

/** Reports progress on stderr. */
export type Progress = (line: string) => void

/** Makes a metric from the values of its rounds. */
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

/** The bound of a target. */
export type Bound = { readonly atLeast: number } | { readonly atMost: number }

/** Makes a target. A value that could not be measured, or was divided by zero, misses it. */
const targetOf = (name: string, bound: Bound, of: string, measured: number): Target => {
  const isAtLeast = "atLeast" in bound
  const wanted = isAtLeast ? bound.atLeast : bound.atMost
  return {
    name: `${name} at ${isAtLeast ? "least" : "most"} ${wanted} ${of}`.trimEnd(),
    measured,
    isMet: Number.isFinite(measured) && (isAtLeast ? measured >= wanted : measured <= wanted),
  }
}

/** A target for a metric relative to another contender's. */
export const ratioTarget = (
  metrics: ReadonlyArray<Metric>,
  name: string,
  other: Contender,
  bound: Bound,
): Target => {
  const measured = metrics.find((metric) => metric.name === name)?.ratios[other] ?? Number.NaN
  return targetOf(name, bound, `of ${other}`, measured)
}

/** A target for the median of the service's own values of a metric. */
export const valueTarget = (metrics: ReadonlyArray<Metric>, name: string, bound: Bound): Target => {
  const metric = metrics.find((found) => found.name === name)
  return targetOf(name, bound, metric?.unit ?? "", median(metric?.values.corrente ?? []))
}
