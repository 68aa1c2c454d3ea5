import { median } from "../../support/statistics.ts"
import { judged, ratiosTo } from "../compare.ts"
import { directionOf } from "../direction.ts"
import type { SavedMetric, SavedSuite } from "../savedRun.ts"
import { formatNumber } from "../text.ts"
import { type Content, type Html, html, nothing } from "./html.ts"

/** A cell: text, left-aligned, or a figure, right-aligned. */
export interface Cell {
  readonly content: Content
  readonly isNumber: boolean
}

/** A cell with text. */
export const textCell = (content: Content): Cell => ({ content, isNumber: false })
/** A cell with a figure. */
export const numberCell = (content: Content): Cell => ({ content, isNumber: true })

/** Longer texts get a column at least a few words wide. */
const shortTextMax = 14

const classOf = ({ content, isNumber }: Cell): string =>
  isNumber ? "number" : typeof content === "string" && content.length > shortTextMax ? "long" : "text"

const cellHtml = (cell: Cell): Html => html`<td class="${classOf(cell)}">${cell.content}</td>`

const headerHtml = (cell: Cell): Html => html`<th scope="col" class="${classOf(cell)}">${cell.content}</th>`

const rowHtml = ([head, ...cells]: ReadonlyArray<Cell>): Html =>
  html`<tr><th scope="row" class="${head === undefined ? "text" : classOf(head)}">${head?.content ?? ""}</th>${cells.map(cellHtml)}</tr>`

/** A table that scrolls if the page is too narrow for it. */
export const tableHtml = (
  caption: string,
  head: ReadonlyArray<Cell>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
): Html => html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${head.map(headerHtml)}</tr></thead>
<tbody>${rows.map(rowHtml)}</tbody></table></div>`

const betterTexts = { up: "more is better", down: "less is better", neither: "" }

/** A metric's unit and its better direction. */
export const unitText = (metric: SavedMetric): string =>
  [metric.unit, betterTexts[directionOf(metric)]].filter((text) => text !== "").join(", ")

/** A suite's contenders, in the order of its metrics. */
export const contendersOf = ({ metrics }: SavedSuite): ReadonlyArray<string> => [
  ...new Set(metrics.flatMap(({ values }) => Object.keys(values))),
]

/** A contender's values, if it was measured. */
export const valuesOf = ({ values }: SavedMetric, contender: string): ReadonlyArray<number> | undefined =>
  Object.hasOwn(values, contender) ? values[contender] : undefined

/** Medians of all metrics, one column per contender. */
export const mediansTable = (suite: SavedSuite): Html => {
  const contenders = contendersOf(suite)
  const head = [textCell("metric"), textCell("unit"), ...contenders.map(numberCell)]
  const rows = suite.metrics.map((metric) => [
    textCell(metric.name),
    textCell(unitText(metric)),
    ...contenders.map((contender) => {
      const values = valuesOf(metric, contender)
      return numberCell(values === undefined ? "" : formatNumber(median(values)))
    }),
  ])
  return tableHtml(`${suite.suite}: medians of the rounds`, head, rows)
}

const ratioText = (metric: SavedMetric, other: string): string => {
  const ratio = Object.hasOwn(metric.ratios, other) ? metric.ratios[other] : undefined
  if (ratio === undefined || !Number.isFinite(ratio)) return ""
  const rounds = ratiosTo(other, metric).filter(Number.isFinite)
  const [least, most] = [Math.min(...rounds), Math.max(...rounds)].map(formatNumber)
  return rounds.length < 2 ? formatNumber(ratio) : `${formatNumber(ratio)} (${least} to ${most})`
}

/** The service's ratios to the others; empty if it was measured alone. */
export const ratiosTable = (suite: SavedSuite): Html => {
  const others = contendersOf(suite).filter((contender) => contender !== judged)
  const metrics = suite.metrics.filter(({ ratios }) => Object.keys(ratios).length > 0)
  if (metrics.length === 0) return nothing
  const head = [textCell("metric"), ...others.map((other) => numberCell(`/ ${other}`))]
  const rows = metrics.map((metric) => [
    textCell(`${metric.name}, ${unitText(metric)}`),
    ...others.map((other) => numberCell(ratioText(metric, other))),
  ])
  return tableHtml(
    `${suite.suite}: ${judged} / other, median of the rounds' ratios (least to largest)`,
    head,
    rows,
  )
}

/** Every round of a metric. */
export const roundsTable = (metric: SavedMetric): Html => {
  const contenders = Object.keys(metric.values)
  const count = Math.max(0, ...contenders.map((contender) => metric.values[contender]?.length ?? 0))
  const head = [textCell("round"), ...contenders.map(numberCell)]
  const rows = Array.from({ length: count }, (_, round) => [
    textCell(round + 1),
    ...contenders.map((contender) => {
      const value = metric.values[contender]?.[round]
      return numberCell(value === undefined ? "" : formatNumber(value))
    }),
  ])
  return tableHtml(`${metric.name}, ${metric.unit}: every round`, head, rows)
}
