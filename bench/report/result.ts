import type { SideName } from "../support/sides.ts"
import { medianOfRatios } from "../support/statistics.ts"

/** How long a run may take: seconds in all and proving only that it works, minutes, or as long as it is good for. */
export type Size = "small" | "default" | "full"

/** One value a round for each side that was measured; NaN where it could not be. */
export type RoundValues = Readonly<Partial<Record<SideName, ReadonlyArray<number>>>>

/** Something measured. */
export interface Metric {
  readonly name: string
  readonly unit: "1/s" | "ns" | "us" | "ms" | "cores"
  readonly values: RoundValues
  /** Median of the rounds' ratios corrente / bare; undefined where one side alone was measured. */
  readonly ratio: number | undefined
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
export const makeMetric = (name: string, unit: Metric["unit"], values: RoundValues): Metric => {
  const { corrente, bare } = values
  const ratio = corrente === undefined || bare === undefined ? undefined : medianOfRatios(corrente, bare)
  return { name, unit, values, ratio }
}
