import type { Environment } from "../support/environment.ts"
import { type SideName, sideNames } from "../support/sides.ts"
import { median } from "../support/statistics.ts"
import type { Metric, SuiteResult } from "./result.ts"

const nameWidth = 44
const valueWidth = 12

/** A number with about three digits that count, thousands apart; `-` where it was not measured. */
export const formatNumber = (value: number): string => {
  if (!Number.isFinite(value)) return "-"
  const size = Math.abs(value)
  const decimals = size >= 100 ? 0 : size >= 10 ? 1 : 2
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}

const formatRatio = (ratio: number | undefined): string =>
  ratio === undefined || !Number.isFinite(ratio) ? "" : ratio.toFixed(2)

const row = (name: string, values: ReadonlyArray<string>): string =>
  `  ${name.padEnd(nameWidth)}${values.map((value) => value.padStart(valueWidth)).join("")}`.trimEnd()

const sidesOf = (metrics: ReadonlyArray<Metric>): ReadonlyArray<SideName> =>
  sideNames.filter((side) => metrics.some((metric) => metric.values[side] !== undefined))

const metricRows = (metrics: ReadonlyArray<Metric>): ReadonlyArray<string> => {
  const sides = sidesOf(metrics)
  const compares = sides.length > 1
  return [
    row("median of the rounds", [...sides, ...(compares ? ["ratio"] : [])]),
    ...metrics.map(({ name, unit, values, ratio }) =>
      row(`${name}, ${unit}`, [
        ...sides.map((side) => formatNumber(median(values[side] ?? []))),
        ...(compares ? [formatRatio(ratio)] : []),
      ]),
    ),
  ]
}

/** Where a run is made, as lines for its head. */
export const environmentText = (environment: Environment): string =>
  Object.entries(environment)
    .map(([name, value]) => `${`${name}:`.padEnd(12)}${value}`)
    .join("\n")

/** A suite's result as a reader of the terminal wants it. */
export const suiteText = (result: SuiteResult): string =>
  [
    "",
    result.suite,
    ...Object.entries(result.parameters).map(([name, value]) => `  ${name}: ${value}`),
    "",
    ...metricRows(result.metrics),
    "",
    ...result.targets.map(
      ({ name, measured, isMet }) =>
        `  target ${isMet ? "met   " : "missed"}  ${name}: ${formatNumber(measured)}`,
    ),
    ...result.checks.map(
      ({ name, isRight, detail }) => `  check  ${isRight ? "right " : "WRONG "}  ${name}: ${detail}`,
    ),
  ].join("\n")
