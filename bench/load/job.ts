import type { HistogramCounts } from "../support/histogram.ts"
import type { WorkloadOptions, WorkloadSummary } from "./workload.ts"

/** What the load generator is asked to do. */
export interface LoadJob {
  readonly port: number
  readonly apiKey: string
  readonly workload: WorkloadOptions
  readonly connections: number
  /** Load of the same kind before the measured window. */
  readonly warmUpMillis: number
  readonly measureMillis: number
  /**
   * Requests a second that are due at fixed times whatever the answers do (open loop); undefined: each connection
   * sends as soon as its answer is there (closed loop).
   */
  readonly ratePerSecond: number | undefined
  /** Process ids whose CPU time over the window is wanted, by names of the caller's choice. */
  readonly processes: Readonly<Record<string, number>>
}

/** What it saw. */
export interface LoadResult extends WorkloadSummary {
  /** Length of the window. */
  readonly seconds: number
  /** When it began, as Unix time in ms with a fraction. */
  readonly startedAtMillis: number
  /** Answers within the window, and in each second of it from its start; a last one may be cut short. */
  readonly completed: number
  readonly completedBySecond: ReadonlyArray<number>
  /** From the send (closed loop) or the time it was due (open loop) to the whole answer. */
  readonly latency: HistogramCounts
  /** Open loop: how late the generator itself was; its lateness is part of the latency. */
  readonly lateness: HistogramCounts
  /** CPU time over the window in ms, by the job's names, the generator's own as `load`, and all as `machine`. */
  readonly cpuMillis: Readonly<Record<string, number>>
  /** Answers that were wrong, connections that broke, requests without an answer. */
  readonly problemCount: number
  /** The first of them. */
  readonly problems: ReadonlyArray<string>
}
