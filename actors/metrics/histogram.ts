import type { Metric } from "effect"

/** Upper bounds in seconds for what this process and its store do. */
export const fastBounds: ReadonlyArray<number> = [
  0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
]

/** Upper bounds in seconds for what callers wait for. */
export const requestBounds: ReadonlyArray<number> = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
]

/** Upper bounds in seconds for calls over the internet: receivers of webhooks, and acquirers. */
export const callBounds: ReadonlyArray<number> = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/**
 * Counts values by range. Recording costs a few nanoseconds, which is why hot paths use it in place of Effect's own histogram;
 * a registrar shows it among Effect's metrics (docs/decisions/0079-metrics-are-read-when-scraped.md).
 */
export class Histogram {
  readonly #bounds: ReadonlyArray<number>
  readonly #counts: Float64Array
  #sum = 0
  #min = Number.MAX_VALUE
  #max = -Number.MAX_VALUE

  /** `bounds` are the upper bounds of ranges, inclusive and ascending. */
  constructor(bounds: ReadonlyArray<number>) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  /** Counts a value, in the unit of the bounds. */
  record(value: number): void {
    const bounds = this.#bounds
    let range = 0
    while (range < bounds.length && value > (bounds[range] as number)) range++
    this.#counts[range] = (this.#counts[range] as number) + 1
    this.#sum += value
    if (value < this.#min) this.#min = value
    if (value > this.#max) this.#max = value
  }

  /** Counts a duration that began at `beganMillis` of `performance.now()`, in seconds. */
  recordSince(beganMillis: number): void {
    this.record((performance.now() - beganMillis) / 1_000)
  }

  /** What was recorded so far; buckets are cumulative. */
  get state(): Metric.HistogramState {
    let count = 0
    const buckets = this.#bounds.map((bound, range): [number, number] => {
      count += this.#counts[range] ?? 0
      return [bound, count]
    })
    count += this.#counts[this.#bounds.length] ?? 0
    return { buckets, count, sum: this.#sum, min: this.#min, max: this.#max }
  }
}
