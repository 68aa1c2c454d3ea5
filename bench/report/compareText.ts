import {
  type Comparison,
  isJudged,
  judgedRows,
  type Row,
  type SuiteComparison,
  worseRows,
} from "./compare.ts"
import type { NamedRun } from "./runStore.ts"
import { formatNumber } from "./text.ts"

const nameWidth = 52
const contenderWidth = 26
const valueWidth = 12

/** A ratio with enough digits for small changes. */
export const formatChange = (ratio: number): string => {
  if (Number.isNaN(ratio)) return "-"
  if (!Number.isFinite(ratio)) return "inf"
  return ratio >= 10 ? formatNumber(ratio) : ratio.toFixed(3)
}

const verdictTexts: Readonly<Record<Row["verdict"], string>> = {
  better: "better",
  worse: "WORSE",
  unclear: "",
  few: "too few rounds",
  otherRate: "measured at another rate",
  neither: "",
  unmeasured: "",
}

const intervalText = ({ interval }: Row["change"]): string =>
  interval === undefined ? "" : `${formatChange(interval.low)} .. ${formatChange(interval.high)}`

const line = (columns: readonly [string, string, string, string, string, string, string]): string => {
  const [name, contender, before, after, ratio, interval, verdict] = columns
  return [
    `  ${name.padEnd(nameWidth)} ${contender.padEnd(contenderWidth)}`,
    ...[before, after].map((value) => value.padStart(valueWidth)),
    `${ratio.padStart(8)}  ${interval.padEnd(18)}${verdict}`,
  ]
    .join("")
    .trimEnd()
}

const rowText = (row: Row, isFirst: boolean): string =>
  line([
    isFirst ? `${row.metric}, ${row.unit}` : "",
    row.relativeTo === undefined ? row.contender : `${row.contender} / ${row.relativeTo}`,
    formatNumber(row.before),
    formatNumber(row.after),
    formatChange(row.change.ratio),
    intervalText(row.change),
    `${verdictTexts[row.verdict]}${row.isShared ? " (so are others: the machine?)" : ""}`,
  ])

const suiteText = ({ suite, differences, rows }: SuiteComparison): string =>
  [
    "",
    suite,
    ...differences.map((text) => `  ${text}`),
    line(["medians of the rounds", "", "A", "B", "B/A", "95 % interval", ""]),
    ...rows.map((row, index) => rowText(row, rows[index - 1]?.metric !== row.metric)),
  ].join("\n")

const headOf = (letter: string, { name, run }: NamedRun): string =>
  `${letter}: ${name} (${run.size}, commit ${run.environment.commit}, started ${run.environment.startedAt})`

const explanation = [
  "",
  "better, WORSE: the interval excludes 1 and the medians differ by over 3 %. Intervals are rank-based (Hodges and",
  "Lehmann) and cover the spread of rounds within a run; one in twenty misses by chance. They do not cover what differs",
  "between runs (the machine's neighbours, its clock, its disk). In rows `corrente / other` both figures come from the",
  "same run, so most of that cancels out.",
]

/** Formats a comparison for the terminal. */
export const comparisonText = (before: NamedRun, after: NamedRun, comparison: Comparison): string =>
  [
    headOf("A", before),
    headOf("B", after),
    ...(comparison.differences.length === 0 ? [] : ["", "A | B:"]),
    ...comparison.differences.map((text) => `  ${text}`),
    ...comparison.suites.map(suiteText),
    ...(comparison.suites.length === 0 ? ["", "The runs have no suite in common."] : explanation),
  ].join("\n")

/** The outcome of `--fail-over`. */
export interface Gate {
  readonly exitCode: 0 | 1 | 2
  readonly text: string
}

/** Judges a comparison: 1 if anything is clearly worse by more than `percent`, 2 if nothing can be judged. */
export const gateOf = (comparison: Comparison, percent: number, isRelative: boolean): Gate => {
  const rows = judgedRows(comparison, isRelative).filter(isJudged)
  const what = isRelative ? "ratios to the others" : "figures of the service"
  if (rows.length === 0) {
    return {
      exitCode: 2,
      text: `Nothing can be judged: there are no ${what} in both runs with enough rounds.`,
    }
  }
  const worse = worseRows(rows, percent)
  const names = worse.map(
    ({ metric, relativeTo, change }) =>
      `  ${metric}${relativeTo === undefined ? "" : ` / ${relativeTo}`}: ${formatChange(change.ratio)}`,
  )
  const head = `Of ${rows.length} ${what}, ${worse.length} are clearly worse by more than ${percent} %`
  return { exitCode: worse.length === 0 ? 0 : 1, text: [`${head}.`, ...names].join("\n") }
}
