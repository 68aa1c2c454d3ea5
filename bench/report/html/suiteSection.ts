import { contenderNames } from "../../contenders.ts"
import { median } from "../../support/statistics.ts"
import { counterpartOf } from "../metricMatch.ts"
import type { NamedRun } from "../runStore.ts"
import type { SavedMetric, SavedSuite } from "../savedRun.ts"
import { formatNumber } from "../text.ts"
import { type Html, html, nothing } from "./html.ts"
import { roundsPlot, type Series, timePlot, trendPlot } from "./plots.ts"
import {
  mediansTable,
  numberCell,
  ratiosTable,
  roundsTable,
  tableHtml,
  textCell,
  unitText,
  valuesOf,
} from "./tables.ts"

const known: ReadonlyArray<string> = contenderNames
/** The last colour is for all others: contenders that this program does not know, and all after the seventh. */
const colourOfOthers = 7

const colourOf = (contender: string): number => {
  const index = known.indexOf(contender)
  return index === -1 ? colourOfOthers : Math.min(index, colourOfOthers)
}

/** A suite in each run, oldest first; undefined if a run lacks it. */
type SuiteOverRuns = ReadonlyArray<SavedSuite | undefined>

const seriesOf = ({ values }: SavedMetric): ReadonlyArray<Series> =>
  Object.entries(values).map(([contender, all]) => ({ contender, colour: colourOf(contender), values: all }))

const mediansOverRuns = (
  metric: SavedMetric,
  newest: SavedSuite,
  overRuns: SuiteOverRuns,
): ReadonlyArray<Series> => {
  const found = overRuns.map((suite) =>
    suite === undefined ? undefined : counterpartOf(metric, newest.metrics, suite.metrics),
  )
  return Object.keys(metric.values).map((contender) => ({
    contender,
    colour: colourOf(contender),
    values: found.map((other) => median((other && valuesOf(other, contender)) ?? [])),
  }))
}

const keyHtml = (series: ReadonlyArray<Series>): Html =>
  html`<ul class="key">${series.map(
    ({ contender, colour }) =>
      html`<li><svg viewBox="0 0 30 10" aria-hidden="true"><path class="c${colour} d${colour}" d="M0 5L30 5"/><circle class="c${colour}" cx="15" cy="5" r="3"/></svg>${contender}</li>`,
  )}</ul>`

const trendHtml = (metric: SavedMetric, newest: SavedSuite, overRuns: SuiteOverRuns): Html => {
  const series = mediansOverRuns(metric, newest, overRuns)
  const runs = overRuns.flatMap((_, run) =>
    series.some(({ values }) => Number.isFinite(values[run])) ? [run] : [],
  )
  if (runs.length < 2) return nothing
  const title = `${metric.name}, ${metric.unit}`
  const rows = runs.map((run) => [
    textCell(run + 1),
    ...series.map(({ values }) => numberCell(formatNumber(values[run] ?? Number.NaN))),
  ])
  const head = [textCell("run"), ...series.map(({ contender }) => numberCell(contender))]
  return html`${trendPlot(title, overRuns.length, series)}
${keyHtml(series)}
<details><summary>Medians by run</summary>${tableHtml(`${title}: medians by run`, head, rows)}</details>`
}

/** Rounds side by side, or a line with the contenders' names if the values are consecutive. */
const valuesPlot = (metric: SavedMetric): Html => {
  const title = `${metric.name}, ${metric.unit}`
  const series = seriesOf(metric)
  return metric.isOverTime === true
    ? html`${timePlot(title, series)}${keyHtml(series)}`
    : roundsPlot(title, series)
}

const metricHtml = (metric: SavedMetric, newest: SavedSuite, overRuns: SuiteOverRuns): Html =>
  html`<figure><figcaption>${metric.name} <span>${unitText(metric)}</span></figcaption>
${valuesPlot(metric)}
<details><summary>Every round</summary>${roundsTable(metric)}</details>
${trendHtml(metric, newest, overRuns)}
</figure>`

const targetsHtml = ({ suite, targets }: SavedSuite): Html =>
  targets.length === 0
    ? nothing
    : tableHtml(
        `${suite}: targets`,
        [textCell("target"), numberCell("measured"), textCell("result")],
        targets.map(({ name, measured, isMet }) => [
          textCell(name),
          numberCell(formatNumber(measured)),
          textCell(isMet ? html`<span class="good">met</span>` : html`<span class="bad">missed</span>`),
        ]),
      )

const checksHtml = ({ suite, checks }: SavedSuite): Html =>
  tableHtml(
    `${suite}: checks that the work was done`,
    [textCell("check"), textCell("result"), textCell("detail")],
    checks.map(({ name, isRight, detail }) => [
      textCell(name),
      textCell(isRight ? html`<span class="good">right</span>` : html`<span class="bad">WRONG</span>`),
      textCell(detail),
    ]),
  )

/** Names and values. */
export const factsHtml = (facts: Readonly<Record<string, string | number>>): Html =>
  html`<dl>${Object.entries(facts).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`

/** A suite: its newest result in full, and every metric's medians over the runs that have it. */
export const suiteSection = (name: string, index: number, runs: ReadonlyArray<NamedRun>): Html => {
  const overRuns = runs.map(({ run }) => run.suites.find(({ suite }) => suite === name))
  const from = overRuns.findLastIndex((suite) => suite !== undefined)
  const newest = overRuns[from]
  if (newest === undefined) return nothing
  const isOfNewestRun = from === runs.length - 1
  return html`<section aria-labelledby="suite-${index}"><h2 id="suite-${index}">${name}</h2>
${isOfNewestRun ? nothing : html`<p class="notice">From run ${from + 1}: later runs did not include it.</p>`}
<h3>Parameters</h3>${factsHtml(newest.parameters)}
<h3>Targets and checks</h3>${targetsHtml(newest)}
${checksHtml(newest)}
<h3>Figures</h3>${mediansTable(newest)}
${ratiosTable(newest)}
<h3>Plots</h3><p class="quiet">Bars reach to the median; each dot is a round.${
    runs.length > 1 ? " Below: medians over runs, oldest first." : ""
  }</p>
<div class="plots">${newest.metrics.map((metric) => metricHtml(metric, newest, overRuns))}</div>
</section>`
}
