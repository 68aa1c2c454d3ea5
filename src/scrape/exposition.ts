import type { Report, Series } from "./series.ts"

/** Escapes a label's value. */
const escapeValue = (text: string): string => text.replace(/[\\"\n]/g, (c) => (c === "\n" ? "\\n" : `\\${c}`))
/** Escapes a description. */
const escapeHelp = (text: string): string => text.replace(/[\\\n]/g, (c) => (c === "\n" ? "\\n" : "\\\\"))

const numberText = (value: number): string =>
  Number.isFinite(value) ? String(value) : String(value).replace("Infinity", "Inf").replace(/^I/, "+I")

const samplesOf = (series: Series): string => {
  const { name } = series
  const labels = Object.entries(series.labels).map(([label, value]) => `${label}="${escapeValue(value)}"`)
  const braced = labels.length === 0 ? "" : `{${labels.join(",")}}`
  if (series.kind !== "histogram") return `${name}${braced} ${numberText(series.value)}\n`
  const start = `${name}_bucket{${[...labels, 'le="'].join(",")}`
  let text = ""
  for (const [bound, count] of series.buckets) text += `${start}${bound}"} ${count}\n`
  return `${text}${start}+Inf"} ${series.count}\n${name}_sum${braced} ${numberText(series.sum)}\n${name}_count${braced} ${series.count}\n`
}

/**
 * A report in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/), sorted by name. Names of metrics
 * and labels are our own, so they need no escapes. Effect's exporter checks and replaces each of them in each line, and holds the
 * event loop ten times as long.
 */
export const expositionOf = (report: Report): string => {
  let text = ""
  let family = ""
  for (const series of report.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))) {
    const { name, description, kind } = series
    if (name !== family) text += `# HELP ${name} ${escapeHelp(description)}\n# TYPE ${name} ${kind}\n`
    family = name
    text += samplesOf(series)
  }
  return text
}
