import type { HistogramCounts } from "../support/histogram.ts"

/** Streams that are all opened at one time, as after a deploy. */
export interface OpeningJob {
  readonly port: number
  /** Keys of sellers; each has as many streams as `streamsPerKey` says. */
  readonly apiKeys: ReadonlyArray<string>
  readonly streamsPerKey: number
  /** When they give up. */
  readonly timeoutMillis: number
}

/** What became of them. */
export interface OpeningResult {
  readonly opened: number
  /** Until all were open, or the time was over. */
  readonly millis: number
  /** How often one was told to come back later. */
  readonly turnedAway: number
  /** From a try to its `ready` or `reconnect`. */
  readonly readyMillis: HistogramCounts
  readonly turnedAwayMillis: HistogramCounts
  /** Statuses but 200 (for which EventSource gives up for good) and connections without an answer, by what they are. */
  readonly problems: Readonly<Record<string, number>>
}
