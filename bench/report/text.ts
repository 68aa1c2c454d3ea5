import type { Environment } from "../support/environment.ts"
import { formatNumber, median } from "../support/statistics.ts"
import { type Contender, contenderNames, type Metric, type SuiteResult } from "./result.ts"

const nameWidth = 54
const valueWidth = 17

const formatRatio = (ratio: number | undefined): string =>
  ratio === undefined || !Number.isFinite(ratio) ? "" : formatNumber(ratio)

const row = (name: string, values: ReadonlyArray<string>): string =>
  `  ${name.padEnd(nameWidth)}${values.map((value) => value.padStart(valueWidth)).join("")}`.trimEnd()

const contendersOf = (metrics: ReadonlyArray<Metric>): ReadonlyArray<Contender> =>
  contenderNames.filter((name) => metrics.some(({ values }) => values[name] !== undefined))

const metricRows = (metrics: ReadonlyArray<Metric>): ReadonlyArray<string> => {
  const measured = contendersOf(metrics)
  const others = measured.filter((name) => name !== "corrente")
  return [
    row("median of the rounds", [...measured, ...others.map((name) => `/ ${name}`)]),
    ...metrics.map(({ name, unit, values, ratios }) =>
      row(`${name}, ${unit}`, [
        ...measured.map((side) => (values[side] === undefined ? "" : formatNumber(median(values[side])))),
        ...others.map((other) => formatRatio(ratios[other])),
      ]),
    ),
  ]
}

/** Lines about where a run was made, for its head. */
export const environmentText = (environment: Environment): string =>
  Object.entries(environment)
    .map(([name, value]) => `${`${name}:`.padEnd(12)}${value}`)
    .join("\n")

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
