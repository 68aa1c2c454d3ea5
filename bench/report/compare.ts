import { formatNumber, median } from "../support/statistics.ts"
import type { NamedRun, SavedMetric, SavedRun, SavedSuite } from "./savedRun.ts"

/** Smaller changes are never called better or worse, however steady the rounds are. */
const clearChange = 0.03
/** The contender that is judged. */
const judged = "corrente"
/** 97.5 % of a normal distribution lie below this many standard deviations. */
const deviations = 1.96

/** The change of a metric from one run to another: the ratio of the medians, and where the true one lies with 95 %. */
interface Change {
  readonly ratio: number
  readonly interval: { readonly low: number; readonly high: number } | undefined
}

/** From nothing to nothing is no change. */
const ratioOf = (early: number, late: number): number => (early === 0 && late === 0 ? 1 : late / early)

/**
 * The change between two runs, from their rounds in any order. The interval is that of Hodges and Lehmann: of the ratios of all
 * pairs of a round before and one after, without as many at each end as chance explains by the ranks. It assumes no
 * distribution. Fewer than four rounds a side have none. It is widened, if necessary, to contain the medians' ratio.
 */
export const changeOf = (before: ReadonlyArray<number>, after: ReadonlyArray<number>): Change => {
  const [early, late] = [before.filter(Number.isFinite), after.filter(Number.isFinite)]
  const ratio = ratioOf(median(early), median(late))
  if (!Number.isFinite(ratio)) return { ratio: Number.NaN, interval: undefined }
  const pairs = early.length * late.length
  const deviation = Math.sqrt((pairs * (early.length + late.length + 1)) / 12)
  const cut = Math.floor(pairs / 2 - deviations * deviation)
  if (cut < 1 || [...early, ...late].some((value) => value < 0)) return { ratio, interval: undefined }
  const ratios = Float64Array.from(late.flatMap((one) => early.map((other) => ratioOf(other, one)))).sort()
  const [low = Number.NaN, high = Number.NaN] = [ratios[cut - 1], ratios[ratios.length - cut]]
  return { ratio, interval: { low: Math.min(low, ratio), high: Math.max(high, ratio) } }
}

/** What can be said of a change; `""` if the interval does not exclude 1 by more than 3 %. */
type Verdict = "better" | "WORSE" | "" | "too few rounds" | "-"

/** A metric of one contender in both runs, or the service's ratio to another contender. */
interface Row {
  readonly metric: string
  readonly contender: string
  readonly before: number
  readonly after: number
  readonly change: Change
  readonly verdict: Verdict
}

/** More of a rate is better, and less of the rest. A share can be of anything, and the bench's own figures describe the measurement. */
const verdictOf = ({ ratio, interval }: Change, { name, unit }: SavedMetric): Verdict => {
  const isOwn = /\bof (?:the load|anything else)\b|\blateness\b/i.test(name)
  if (!Number.isFinite(ratio) || isOwn || unit === "%") return "-"
  if (interval === undefined) return "too few rounds"
  const isUnclear = (interval.low <= 1 && interval.high >= 1) || Math.abs(ratio - 1) <= clearChange
  if (isUnclear) return ""
  return ratio > 1 === (unit === "1/s") ? "better" : "WORSE"
}

const rowsOf = (before: SavedMetric, after: SavedMetric): ReadonlyArray<Row> => {
  const rowOf = (contender: string, valuesOf: (metric: SavedMetric) => ReadonlyArray<number>): Row => {
    const [early, late] = [valuesOf(before), valuesOf(after)]
    const change = changeOf(early, late)
    const [a = Number.NaN, b] = [early, late].map((values) => median(values.filter(Number.isFinite)))
    const metric = `${before.name}, ${before.unit}`
    return {
      metric,
      contender,
      before: a,
      after: b ?? Number.NaN,
      change,
      verdict: verdictOf(change, before),
    }
  }
  const both = Object.keys(before.values).filter((name) => Object.hasOwn(after.values, name))
  const others = both.includes(judged) ? both.filter((name) => name !== judged) : []
  return [
    ...both.map((name) => rowOf(name, ({ values }) => values[name] ?? [])),
    ...others.map((other) =>
      rowOf(`${judged} / ${other}`, ({ values }) =>
        (values[judged] ?? []).map((value, round) => value / (values[other]?.[round] ?? Number.NaN)),
      ),
    ),
  ]
}

type Facts = Readonly<Record<string, string | number>>

/** Facts that differ, with what each run says. */
const differencesOf = (before: Facts, after: Facts): ReadonlyArray<string> =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((name) => [name, before[name] ?? "(nothing)", after[name] ?? "(nothing)"] as const)
    .filter(([, early, late]) => String(early) !== String(late))
    .map(([name, early, late]) => `${name}: ${early} | ${late}`)

/** What only one of two lists names. */
const unpaired = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...before.filter((name) => !after.includes(name)).map((name) => `only in A: ${name}`),
  ...after.filter((name) => !before.includes(name)).map((name) => `only in B: ${name}`),
]

const namesOf = ({ metrics }: SavedSuite) => metrics.map(({ name }) => name)

const wrongChecks = (side: string, { checks }: SavedSuite): ReadonlyArray<string> =>
  checks
    .filter(({ isRight }) => !isRight)
    .map(({ name, detail }) => `${side} proves nothing, check ${name} is wrong: ${detail}`)

const compareSuites = (before: SavedSuite, after: SavedSuite) => ({
  suite: before.suite,
  differences: [
    ...differencesOf(before.parameters, after.parameters),
    ...unpaired(namesOf(before), namesOf(after)),
    ...wrongChecks("A", before),
    ...wrongChecks("B", after),
  ],
  rows: before.metrics.flatMap((early) => {
    const late = after.metrics.find(({ name, unit }) => name === early.name && unit === early.unit)
    return late === undefined ? [] : rowsOf(early, late)
  }),
})

/** Compares two runs: A is before, B after. */
export const compareRuns = (before: SavedRun, after: SavedRun) => {
  const factsOf = ({ size, environment: { startedAt: _, ...place } }: SavedRun) => ({ size, ...place })
  const suitesOf = (run: SavedRun) => run.suites.map(({ suite }) => suite)
  return {
    differences: [
      ...differencesOf(factsOf(before), factsOf(after)),
      ...unpaired(suitesOf(before), suitesOf(after)),
    ],
    suites: before.suites.flatMap((suite) => {
      const other = after.suites.find((found) => found.suite === suite.suite)
      return other === undefined ? [] : [compareSuites(suite, other)]
    }),
  }
}

type Comparison = ReturnType<typeof compareRuns>

const formatChange = (ratio: number): string =>
  Number.isNaN(ratio) ? "-" : ratio >= 10 ? formatNumber(ratio) : ratio.toFixed(3)

const line = (name: string, contender: string, before: string, after: string, rest: string): string =>
  `  ${name.padEnd(52)} ${contender.padEnd(26)}${before.padStart(12)}${after.padStart(12)}  ${rest}`.trimEnd()

const rowText = ({ metric, contender, before, after, change, verdict }: Row): string => {
  const { low, high } = change.interval ?? {}
  const interval = low === undefined ? "" : `${formatChange(low)} .. ${formatChange(high ?? low)}`
  const rest = `${formatChange(change.ratio).padEnd(8)}${interval.padEnd(18)}${verdict === "-" ? "" : verdict}`
  return line(metric, contender, formatNumber(before), formatNumber(after), rest)
}

const explanation = `
better, WORSE: the interval excludes 1 and the medians differ by over 3 %. Intervals are rank-based (Hodges and
Lehmann) and cover the spread of rounds within a run; one in twenty misses by chance. They do not cover what differs
between runs (the machine's neighbours, its clock, its disk). In rows \`corrente / other\` both figures come from the
same run, so most of that cancels out. Latencies at half the maximum are of different rates where the maximum differs.`

export const comparisonText = (before: NamedRun, after: NamedRun, comparison: Comparison): string => {
  const headOf = (letter: string, { name, run: { size, environment } }: NamedRun) =>
    `${letter}: ${name} (${size}, commit ${environment.commit}, started ${environment.startedAt})`
  return [
    headOf("A", before),
    headOf("B", after),
    ...comparison.differences.map((text) => `  ${text}`),
    ...comparison.suites.flatMap(({ suite, differences, rows }) => [
      ...["", suite, ...differences.map((text) => `  ${text}`)],
      line("medians of the rounds", "", "A", "B", "B/A     95 % interval"),
      ...rows.map(rowText),
    ]),
    comparison.suites.length === 0 ? "\nThe runs have no suite in common." : explanation,
  ].join("\n")
}

/** Judges a comparison: 1 if anything is clearly worse by more than `percent`, 2 if nothing can be judged. */
export const gateOf = (comparison: Comparison, percent: number, isRelative: boolean) => {
  const rows = comparison.suites
    .flatMap((suite) => suite.rows)
    .filter(({ contender }) => (isRelative ? contender.startsWith(`${judged} / `) : contender === judged))
    .filter(({ verdict }) => ["better", "WORSE", ""].includes(verdict))
  const what = isRelative ? "ratios to the others" : "figures of the service"
  if (rows.length === 0) {
    const text = `Nothing can be judged: there are no ${what} in both runs with enough rounds.`
    return { exitCode: 2, text }
  }
  const worse = rows.filter(
    ({ verdict, change }) => verdict === "WORSE" && Math.abs(change.ratio - 1) * 100 > percent,
  )
  const head = `Of ${rows.length} ${what}, ${worse.length} are clearly worse by more than ${percent} %.`
  const names = worse.map(
    ({ metric, contender, change }) => `  ${metric}, ${contender}: ${formatChange(change.ratio)}`,
  )
  return { exitCode: worse.length === 0 ? 0 : 1, text: [head, ...names].join("\n") }
}
