import type { HistogramCounts } from "../support/histogram.ts"

/** Streams that all open at once, as after a deploy. */
export interface OpeningJob {
  readonly port: number
  /** Keys of sellers; each opens `streamsPerKey` streams. */
  readonly apiKeys: ReadonlyArray<string>
  readonly streamsPerKey: number
  /** When to give up. */
  readonly timeoutMillis: number
}

/** The result of an opening job. */
export interface OpeningResult {
  readonly opened: number
  /** Until all streams were open, or the timeout. */
  readonly millis: number
  /** How often the service asked a stream to come back later. */
  readonly turnedAway: number
  /** From an attempt to its `ready` or `reconnect`. */
  readonly readyMillis: HistogramCounts
  readonly turnedAwayMillis: HistogramCounts
  /**
   * Statuses other than 200 (for which EventSource gives up) and connections without a response, counted by
   * description.
   */
  readonly problems: Readonly<Record<string, number>>
}
