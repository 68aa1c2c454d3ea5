import { median } from "../support/statistics.ts"
import { type Change, changeOf } from "./change.ts"
import { type Direction, directionOf } from "./direction.ts"
import { counterpartOf, rateOf } from "./metricMatch.ts"
import { differencesOf } from "./runDifferences.ts"
import { missingSuites, type SavedMetric, type SavedRun, type SavedSuite } from "./savedRun.ts"
import { formatNumber } from "./text.ts"

/** Smaller changes are never called better or worse, however steady the rounds are. */
const clearChange = 0.03
/** Latencies at rates further apart than this are different measurements. */
const rateApartMax = 0.1

/** The name of the judged contender. */
export const judged = "corrente"

/**
 * The verdict of a row: `better` and `worse` if the interval excludes 1 by a change of over 3 %, `unclear` if it does
 * not, `few` with too few rounds for an interval, `otherRate` if the load differed, `neither` if neither direction is
 * better, `unmeasured` if a side has no value.
 */
export type Verdict = "better" | "worse" | "unclear" | "few" | "otherRate" | "neither" | "unmeasured"

/** A metric of one contender in both runs, or the service's ratio to another contender. */
export interface Row {
  readonly metric: string
  readonly unit: string
  readonly contender: string
  /** The contender whose ratio to the judged one this is; undefined for a contender's own figure. */
  readonly relativeTo: string | undefined
  readonly before: number
  readonly after: number
  readonly change: Change
  readonly verdict: Verdict
  /** Another contender changed alike and the ratio to it did not: the machine changed rather than the service. */
  readonly isShared: boolean
}

/** A suite in both runs. */
export interface SuiteComparison {
  readonly suite: string
  readonly differences: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
}

/** Two runs side by side. */
export interface Comparison {
  /** Differences in machine, programs, commit and size, as sentences. */
  readonly differences: ReadonlyArray<string>
  readonly suites: ReadonlyArray<SuiteComparison>
}

const verdictOf = (change: Change, direction: Direction, isSameRate: boolean): Verdict => {
  if (!Number.isFinite(change.ratio)) return "unmeasured"
  if (direction === "neither") return "neither"
  if (!isSameRate) return "otherRate"
  if (change.interval === undefined) return "few"
  const { low, high } = change.interval
  const isClear = (low > 1 || high < 1) && Math.abs(change.ratio - 1) > clearChange
  if (!isClear) return "unclear"
  return change.ratio > 1 === (direction === "up") ? "better" : "worse"
}

const isSameRate = (before: string, after: string): boolean => {
  const [early, late] = [rateOf(before) ?? 1, rateOf(after) ?? 1]
  return Math.abs(late / early - 1) <= rateApartMax
}

const nameOf = (before: SavedMetric, after: SavedMetric): string =>
  before.name === after.name
    ? before.name
    : `${before.name} (B: ${formatNumber(rateOf(after.name) ?? Number.NaN)}/s)`

/** The ratios of the rounds; {@link SavedMetric.ratios} has their median. */
export const ratiosTo = (other: string, { values }: SavedMetric): ReadonlyArray<number> => {
  const theirs = values[other] ?? []
  return (values[judged] ?? []).map((value, round) => value / (theirs[round] ?? Number.NaN))
}

const isClear = ({ verdict }: Row): boolean => verdict === "better" || verdict === "worse"

/** The rows of a metric, with what other contenders imply for the service's own. */
const withShared = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  rows.map((row) => {
    if (row.contender !== judged || row.relativeTo !== undefined || !isClear(row)) return row
    const isShared = rows.some(
      (other) =>
        other.contender !== judged &&
        other.verdict === row.verdict &&
        rows.some(({ relativeTo, verdict }) => relativeTo === other.contender && verdict === "unclear"),
    )
    return { ...row, isShared }
  })

const rowsOf = (before: SavedMetric, after: SavedMetric): ReadonlyArray<Row> => {
  const direction = directionOf(before)
  const sameRate = isSameRate(before.name, after.name)
  const row = (
    contender: string,
    relativeTo: string | undefined,
    values: (metric: SavedMetric) => ReadonlyArray<number>,
  ): Row => {
    const [early, late] = [values(before), values(after)]
    const change = changeOf(early, late)
    return {
      metric: nameOf(before, after),
      unit: before.unit,
      contender,
      relativeTo,
      before: median(early.filter(Number.isFinite)),
      after: median(late.filter(Number.isFinite)),
      change,
      verdict: verdictOf(change, direction, sameRate),
      isShared: false,
    }
  }
  const measured = Object.keys(before.values).filter((name) => Object.hasOwn(after.values, name))
  const others = measured.includes(judged) ? measured.filter((name) => name !== judged) : []
  return withShared([
    ...measured.map((name) => row(name, undefined, ({ values }) => values[name] ?? [])),
    ...others.map((other) => row(judged, other, (metric) => ratiosTo(other, metric))),
  ])
}

const wrongChecks = (side: string, { checks }: SavedSuite): ReadonlyArray<string> =>
  checks
    .filter(({ isRight }) => !isRight)
    .map(({ name, detail }) => `${side} proves nothing, check ${name} is wrong: ${detail}`)

const onlyIn = (side: string, metrics: ReadonlyArray<SavedMetric>): ReadonlyArray<string> =>
  metrics.length === 0 ? [] : [`only in ${side}: ${metrics.map(({ name }) => name).join("; ")}`]

const contendersOf = ({ metrics }: SavedSuite): string =>
  [...new Set(metrics.flatMap(({ values }) => Object.keys(values)))].toSorted().join(", ")

const compareSuites = (before: SavedSuite, after: SavedSuite): SuiteComparison => {
  const counterpart = (metric: SavedMetric) => counterpartOf(metric, before.metrics, after.metrics)
  const pairs = before.metrics.flatMap((metric) => {
    const other = counterpart(metric)
    return other === undefined ? [] : [{ early: metric, late: other }]
  })
  const isPaired = new Set(pairs.flatMap(({ early, late }) => [early, late]))
  return {
    suite: before.suite,
    differences: [
      ...differencesOf(before.parameters, after.parameters),
      ...differencesOf({ contenders: contendersOf(before) }, { contenders: contendersOf(after) }),
      ...onlyIn(
        "A",
        before.metrics.filter((metric) => !isPaired.has(metric)),
      ),
      ...onlyIn(
        "B",
        after.metrics.filter((metric) => !isPaired.has(metric)),
      ),
      ...wrongChecks("A", before),
      ...wrongChecks("B", after),
    ],
    rows: pairs.flatMap(({ early, late }) => rowsOf(early, late)),
  }
}

const suitesOnlyIn = (side: string, run: SavedRun, other: SavedRun): ReadonlyArray<string> => {
  const names = run.suites
    .map(({ suite }) => suite)
    .filter((name) => !other.suites.some(({ suite }) => suite === name))
  const missing = missingSuites(run)
  return [
    ...(names.length === 0 ? [] : [`only in ${side}: ${names.join(", ")}`]),
    ...(missing.length === 0 ? [] : [`${side} ended before ${missing.join(", ")}`]),
  ]
}

const commitNote = (before: string, after: string): ReadonlyArray<string> =>
  before === after && before.endsWith("+")
    ? [`commit: ${before} in both, each with uncommitted changes: the code may differ`]
    : []

/** Compares two runs: A is before, B after. */
export const compareRuns = (before: SavedRun, after: SavedRun): Comparison => {
  const { startedAt: _a, ...placeBefore } = before.environment
  const { startedAt: _b, ...placeAfter } = after.environment
  return {
    differences: [
      ...differencesOf({ size: before.size, ...placeBefore }, { size: after.size, ...placeAfter }),
      ...commitNote(before.environment.commit, after.environment.commit),
      ...suitesOnlyIn("A", before, after),
      ...suitesOnlyIn("B", after, before),
    ],
    suites: before.suites.flatMap((suite) => {
      const other = after.suites.find((found) => found.suite === suite.suite)
      return other === undefined ? [] : [compareSuites(suite, other)]
    }),
  }
}

/** What `--fail-over` judges: the service's own figures, or its ratios to others of the same run. */
export const judgedRows = (comparison: Comparison, isRelative: boolean): ReadonlyArray<Row> =>
  comparison.suites
    .flatMap(({ rows }) => rows)
    .filter(({ contender, relativeTo }) => contender === judged && (relativeTo !== undefined) === isRelative)

/** Whether there is a verdict: better, worse or no clear difference. */
export const isJudged = ({ verdict }: Row): boolean =>
  verdict === "better" || verdict === "worse" || verdict === "unclear"

/** The rows that are clearly worse by more than `percent`. */
export const worseRows = (rows: ReadonlyArray<Row>, percent: number): ReadonlyArray<Row> =>
  rows.filter(({ verdict, change }) => verdict === "worse" && Math.abs(change.ratio - 1) * 100 > percent)
