import { Effect, Option, Queue, type Scope } from "effect"
import { mergeReports, totalsOf } from "../scrape/merge.ts"
import type { Report } from "../scrape/series.ts"
import type { WorkerProcess } from "./workerProcess.ts"

/** How long a worker may take to report; a busy one is then represented by its last report. */
export const reportTimeoutMillis = 1_000

/** Merges the metrics of the workers for whichever of them is scraped. */
export interface MetricsDesk {
  /** Answers a worker's scrape later, by a message. */
  readonly scraped: (asker: WorkerProcess) => void
}

/**
 * Makes the desk for the workers in `running`. Scrapes that come at once share their answer. Counters of workers that have ended
 * stay in the sums as they were last reported, so that the sums never fall while the supervisor lives.
 */
export const makeMetricsDesk = Effect.fnUntraced(function* (
  running: ReadonlySet<WorkerProcess>,
): Effect.fn.Return<MetricsDesk, never, Scope.Scope> {
  const askers = yield* Queue.unbounded<WorkerProcess>()
  const last = new Map<WorkerProcess, Report>()
  let ended: Report = []

  const retireEnded = () => {
    for (const [worker, report] of last) {
      if (running.has(worker)) continue
      ended = mergeReports([ended, totalsOf(report)])
      last.delete(worker)
    }
  }

  /** Whether the worker kept silent: one that ends meanwhile is not waited for, as it can no longer report. */
  const ask = (worker: WorkerProcess) => {
    const reported = Effect.map(worker.report, (report) => void last.set(worker, report))
    const settled = Effect.raceFirst(reported, Effect.asVoid(worker.ended))
    return Effect.map(Effect.timeoutOption(settled, reportTimeoutMillis), Option.isNone)
  }

  const answer = Effect.gen(function* () {
    const waiting = yield* Queue.takeAll(askers)
    const listening = [...running].filter(({ isListening }) => isListening())
    const kept = yield* Effect.forEach(listening, ask, { concurrency: "unbounded" })
    retireEnded()
    const report = mergeReports([ended, ...last.values()])
    const silent = kept.filter((isSilent) => isSilent).length
    for (const worker of new Set(waiting)) worker.tell({ kind: "scraped", report, silent })
  })
  yield* Effect.forkScoped(Effect.forever(answer))
  return { scraped: (asker) => void Queue.offerUnsafe(askers, asker) }
})
