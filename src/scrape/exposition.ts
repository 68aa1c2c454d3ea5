import { Context, Metric } from "effect"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import type { Report, Series } from "./series.ts"

const addTo = (context: Context.Context<never>, series: Series): void => {
  const options = { description: series.description, attributes: series.labels }
  const register = <Input, State>(metric: Metric.Metric<Input, State>, state: State) =>
    Metric.registerUnsafe(metric, context, { get: () => state, update: () => {}, modify: () => {} })
  if (series.kind === "counter") {
    register(Metric.counter(series.name, options), { count: series.value, incremental: true })
  } else if (series.kind === "gauge") {
    register(Metric.gauge(series.name, options), { value: series.value })
  } else {
    const buckets = series.buckets.map(([bound, count]): [number, number] => [bound, count])
    const state = { buckets, count: series.count, sum: series.sum, min: 0, max: 0 }
    register(Metric.histogram(series.name, { ...options, boundaries: [] }), state)
  }
}

/** A report in Prometheus' text format, sorted by name. */
export const expositionOf = (report: Report): string => {
  const context = Context.make(Metric.MetricRegistry, new Map())
  for (const series of report.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))) {
    addTo(context, series)
  }
  return formatUnsafe(context)
}
