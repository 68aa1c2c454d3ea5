import { median } from "../../support/statistics.ts"
import { formatNumber } from "../text.ts"
import { axisOf, placeOn } from "./axis.ts"
import { type Html, html, nothing } from "./html.ts"

/** Values of one contender: a metric's rounds, or its medians over runs. */
export interface Series {
  readonly contender: string
  /** Index of the contender's colour, the same everywhere on the page. */
  readonly colour: number
  readonly values: ReadonlyArray<number>
}

/** The width of a small phone in pixels, so that text is legible there. */
const width = 360
const margin = 4
const axisHeight = 20

const describe = (series: ReadonlyArray<Series>): string =>
  series.map(({ contender, values }) => `${contender} ${formatNumber(median(values))}`).join(", ")

/** Enough digits to tell an axis' ticks apart; `toFixed(2)` alone would turn several into 0.00. */
const tickText = (value: number, step: number): string => {
  const decimals = Math.min(6, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))
  if (Math.abs(value) >= 10_000) {
    return value.toLocaleString("en-US", { notation: "compact", maximumFractionDigits: 2 })
  }
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}

const rounds = {
  left: 102,
  right: 290,
  rowHeight: 26,
  /** Dots of a row are spread over three lines so that equal ones do not hide each other. */
  dotOffsets: [-4, 0, 4],
  /** More dots than this would look like a line. */
  dotsMax: 60,
}

/** At most that many values, evenly by rank, including the smallest and the largest. */
export const thinned = (values: ReadonlyArray<number>, countMax: number): ReadonlyArray<number> => {
  if (values.length <= countMax) return values
  const sorted = values.toSorted((left, right) => left - right)
  const step = (sorted.length - 1) / (countMax - 1)
  return Array.from({ length: countMax }, (_, index) => sorted[Math.round(index * step)] ?? Number.NaN)
}

const roundsRow = (series: Series, index: number, x: (value: number) => number): Html => {
  const middle = index * rounds.rowHeight + rounds.rowHeight / 2
  const values = series.values.filter(Number.isFinite)
  const centre = median(values)
  const dots = thinned(values, rounds.dotsMax).map((value, dot) => {
    const offset = rounds.dotOffsets[dot % rounds.dotOffsets.length] ?? 0
    return html`<circle class="c${series.colour}" cx="${x(value)}" cy="${middle + offset}" r="2.2"/>`
  })
  const [zero, end] = [x(0), values.length === 0 ? x(0) : x(centre)]
  return html`<text x="${rounds.left - 6}" y="${middle + 4}" text-anchor="end">${series.contender}</text>
<rect class="bar c${series.colour}" x="${Math.min(zero, end)}" y="${middle - 8}" width="${Math.abs(end - zero)}" height="16"/>
${dots}
<line class="median" x1="${end}" x2="${end}" y1="${middle - 9}" y2="${middle + 9}"/>
<text x="${width - margin}" y="${middle + 4}" text-anchor="end">${formatNumber(centre)}</text>`
}

/** A chart of a metric's rounds: one row per contender, with a bar to the median and a dot per round. */
export const roundsPlot = (title: string, series: ReadonlyArray<Series>): Html => {
  const axis = axisOf(series.flatMap(({ values }) => values))
  const x = (value: number) => placeOn(axis, value, rounds.left, rounds.right)
  const bottom = series.length * rounds.rowHeight
  const step = axis.to - axis.from
  const ticks = axis.ticks.map(
    (tick) => html`<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="0" y2="${bottom}"/>
<text class="tick" x="${x(tick)}" y="${bottom + 14}" text-anchor="middle">${tickText(tick, step / (axis.ticks.length - 1))}</text>`,
  )
  const label = `${title}. Medians: ${describe(series)}`
  return html`<svg viewBox="0 0 ${width} ${bottom + axisHeight}" role="img" aria-label="${label}"><title>${label}</title>
${ticks}
${series.map((one, index) => roundsRow(one, index, x))}
</svg>`
}

const trend = { left: 48, right: 350, top: 8, bottom: 120 }
/** Most run numbers below the axis; more would overlap. */
const runLabelsMax = 12

const trendLine = (series: Series, x: (run: number) => number, y: (value: number) => number): Html => {
  const points = series.values.flatMap((value, run) =>
    Number.isFinite(value) ? [{ run, x: x(run), y: y(value) }] : [],
  )
  // A run that did not measure it leaves a gap.
  const path = points
    .map((point, index) => `${points[index - 1]?.run === point.run - 1 ? "L" : "M"}${point.x} ${point.y}`)
    .join("")
  const dots = points.map(
    (point) => html`<circle class="c${series.colour}" cx="${point.x}" cy="${point.y}" r="3"/>`,
  )
  const line = path === "" ? nothing : html`<path class="c${series.colour} d${series.colour}" d="${path}"/>`
  return html`${line}${dots}`
}

/** A chart of a metric's medians over runs, oldest first: one line per contender. */
export const trendPlot = (title: string, runCount: number, series: ReadonlyArray<Series>): Html =>
  linesPlot(`${title}: medians over ${runCount} runs, oldest first`, runCount, series)

/** A chart of consecutive values: one line per contender, which shows waves. */
export const timePlot = (title: string, series: ReadonlyArray<Series>): Html => {
  const count = Math.max(0, ...series.map(({ values }) => values.length))
  return linesPlot(`${title}, over time. Medians: ${describe(series)}`, count, series)
}

const linesPlot = (label: string, runCount: number, series: ReadonlyArray<Series>): Html => {
  const axis = axisOf(series.flatMap(({ values }) => values))
  const y = (value: number) => placeOn(axis, value, trend.bottom, trend.top)
  const runs = { from: 0, to: Math.max(1, runCount - 1), ticks: [] }
  const x = (run: number) => placeOn(runs, run, trend.left + 10, trend.right - 10)
  const step = (axis.to - axis.from) / (axis.ticks.length - 1)
  const ticks = axis.ticks.map(
    (tick) => html`<line class="grid" x1="${trend.left}" x2="${trend.right}" y1="${y(tick)}" y2="${y(tick)}"/>
<text class="tick" x="${trend.left - 6}" y="${y(tick) + 4}" text-anchor="end">${tickText(tick, step)}</text>`,
  )
  const every = Math.ceil(runCount / runLabelsMax)
  const labels = Array.from({ length: runCount }, (_, run) => run)
    .filter((run) => (runCount - 1 - run) % every === 0)
    .map(
      (run) =>
        html`<text class="tick" x="${x(run)}" y="${trend.bottom + 16}" text-anchor="middle">${run + 1}</text>`,
    )
  return html`<svg viewBox="0 0 ${width} ${trend.bottom + axisHeight}" role="img" aria-label="${label}"><title>${label}</title>
${ticks}
${labels}
${series.map((one) => trendLine(one, x, y))}
</svg>`
}
