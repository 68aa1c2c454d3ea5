import { type Context, Metric, Schema } from "effect"

const named = {
  name: Schema.String,
  description: Schema.String,
  labels: Schema.Record(Schema.String, Schema.String),
}

/** A metric with the values of its labels, and its value, as processes send it to each other. */
export const Series = Schema.Union([
  Schema.Struct({ ...named, kind: Schema.Literal("counter"), value: Schema.Number }),
  Schema.Struct({ ...named, kind: Schema.Literal("gauge"), value: Schema.Number }),
  Schema.Struct({
    ...named,
    kind: Schema.Literal("histogram"),
    /** Pairs of an upper bound and how many values are not above it. */
    buckets: Schema.Array(Schema.Tuple([Schema.Number, Schema.Number])),
    count: Schema.Number,
    sum: Schema.Number,
  }),
])
export type Series = typeof Series.Type
export type Report = ReadonlyArray<Series>

/** A metric whose value may fall. */
export type Gauge = Extract<Series, { readonly kind: "gauge" }>

/** The metrics of a registry; kinds that the service does not use are left out. */
export const reportOf = (context: Context.Context<never>): Report =>
  Metric.snapshotUnsafe(context).flatMap((metric): Report => {
    const { id, description = "", attributes = {} } = metric
    const series = { name: id, description, labels: attributes }
    switch (metric.type) {
      case "Counter":
        return [{ ...series, kind: "counter", value: Number(metric.state.count) }]
      case "Gauge":
        return [{ ...series, kind: "gauge", value: Number(metric.state.value) }]
      case "Histogram":
        return [{ ...series, ...metric.state, kind: "histogram" }]
      default:
        return []
    }
  })
