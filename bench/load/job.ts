import type { HistogramCounts } from "../support/histogram.ts"
import type { WorkloadOptions, WorkloadSummary } from "./workload.ts"

/** A job of the load generator. */
export interface LoadJob {
  readonly port: number
  readonly apiKey: string
  readonly workload: WorkloadOptions
  readonly connections: number
  /** Sent with every request, if given. */
  readonly traceparent?: string
  /** Load of the same kind before the measured window, in ms. */
  readonly warmUpMillis: number
  readonly measureMillis: number
  /**
   * Requests a second, due at fixed times whatever the responses do (open loop). Undefined: each connection sends when
   * its response has arrived (closed loop).
   */
  readonly ratePerSecond: number | undefined
  /** Processes to measure: names chosen by the caller, and process ids. */
  readonly processes: Readonly<Record<string, number>>
}

/** The result of a job. */
export interface LoadResult extends WorkloadSummary {
  /** Length of the window. */
  readonly seconds: number
  /** When the window began, as Unix time in ms with a fraction. */
  readonly startedAtMillis: number
  /** Responses in the window, and in each of its seconds from its start; the last second may be cut short. */
  readonly completed: number
  readonly completedBySecond: ReadonlyArray<number>
  /** From sending (closed loop) or from when it was due (open loop) to the complete response. */
  readonly latency: HistogramCounts
  /** Open loop: lateness of the generator itself, which is part of the latency. */
  readonly lateness: HistogramCounts
  /** CPU time in the window in ms, by the job's names; the generator's own is `load`, the whole machine's `machine`. */
  readonly cpuMillis: Readonly<Record<string, number>>
  /** Wrong responses, broken connections, requests without a response. */
  readonly problemCount: number
  /** The first of them. */
  readonly problems: ReadonlyArray<string>
}
