/**
 * Bounds of exported traces (docs/operations.md#traces).
 */
export const traceLimits = {
  /** The share of requests that are traced where OTEL_TRACES_SAMPLER_ARG is left out. */
  ratioDefault: 0.01,
  /** How many requests a second a process traces because their callers do, besides those of the ratio. */
  followedPerSecond: 10,
  /** Spans of one request or attempt that are kept until it has ended; later ones are dropped. */
  spansPerRootMax: 200,
  /** Spans that wait to be sent; the next is dropped. */
  spansWaitingMax: 4_096,
  /** Spans of one call to the collector. */
  spansPerExportMax: 512,
  /** How often spans are sent, unless a whole call's worth has gathered. */
  exportIntervalMillis: 5_000,
  /** How long a call to the collector may take, its repetitions included. */
  exportTimeoutMillis: 5_000,
  /** How long the end of the process waits for the last call. */
  flushMillis: 1_500,
} as const
