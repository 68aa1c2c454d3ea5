import { Effect, Metric, type Scope } from "effect"
import type { Histogram } from "./histogram.ts"

/** A series: a metric with the values of its labels. */
export interface SeriesName {
  /** `corrente_…`, with its base unit; a counter's ends in `_total`. */
  readonly name: string
  readonly description: string
  /** Values must come from a small fixed set. */
  readonly labels?: Readonly<Record<string, string>>
}

/** Shows numbers that their owners keep among Effect's metrics. Reading them is the only cost. */
export interface Registrar {
  /** `read` returns a number that only grows. */
  readonly counter: (series: SeriesName, read: () => number) => void
  readonly gauge: (series: SeriesName, read: () => number) => void
  readonly histogram: (series: SeriesName, histogram: Histogram) => void
}

const ignore = () => {}

const optionsOf = ({ description, labels }: SeriesName) => ({ description, attributes: labels })

/**
 * Makes a registrar for the registry of the current context. Its series are read when metrics are scraped, and go when the scope
 * closes.
 */
export const makeRegistrar: Effect.Effect<Registrar, never, Scope.Scope> = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  const registrations: Array<Metric.Registration> = []
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const registration of registrations) registration.remove()
    }),
  )
  const register = <Input, State>(metric: Metric.Metric<Input, State>, get: () => State) => {
    registrations.push(Metric.registerUnsafe(metric, context, { get, update: ignore, modify: ignore }))
  }
  return {
    counter: (series, read) =>
      register(Metric.counter(series.name, optionsOf(series)), () => ({ count: read(), incremental: true })),
    gauge: (series, read) =>
      register(Metric.gauge(series.name, optionsOf(series)), () => ({ value: read() })),
    histogram: (series, histogram) =>
      register(
        Metric.histogram(series.name, { ...optionsOf(series), boundaries: [] }),
        () => histogram.state,
      ),
  }
})
