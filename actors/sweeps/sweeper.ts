import { Effect, Layer, Metric } from "effect"
import { limits } from "../../schema/limits.ts"
import { type Acquirer, type AcquirerBooks, Acquirers } from "../ports/acquirer.ts"
import { Identifiers } from "../ports/identifiers.ts"
import { type SweepLease, SweepStore } from "../ports/sweepStore.ts"
import { makeSweep, type SweepReport } from "./sweep.ts"
import { planSweep, type SweepPlan } from "./sweepPlan.ts"

const sweepsOf = (outcome: "complete" | "incomplete") =>
  Metric.counter("corrente_sweeps_total", {
    description: "Sweeps of the acquirer's books, by whether they were complete",
    attributes: { outcome },
    incremental: true,
  })

/** Metrics of this process's sweeps. How far they came, and what they could not read, is in the store. */
export const sweepMetrics = {
  complete: sweepsOf("complete"),
  incomplete: sweepsOf("incomplete"),
  items: Metric.counter("corrente_sweep_items_total", {
    description: "Items of the acquirer's books that were compared with ours",
    incremental: true,
  }),
  differences: Metric.counter("corrente_sweep_differences_total", {
    description: "Items of the acquirer's books that differed from ours",
    incremental: true,
  }),
} as const

const takenOver = "another process has taken over"

/** The pause after the nth sweep in a row that was not complete. */
const retryMillis = (failures: number): number =>
  Math.min(limits.sweepRetryMillisMax, limits.sweepRetryMillisMin * 2 ** Math.min(30, failures - 1))

/**
 * Makes the program that looks whether a sweep is due and, if no other process sweeps, does it. What was read twice is applied once,
 * so a sweep that a killed process left is simply repeated.
 */
const makeSweeper = Effect.fnUntraced(function* (
  acquirer: Acquirer,
  books: AcquirerBooks,
  intervalMillis: number,
) {
  const store = yield* SweepStore
  const identifiers = yield* Identifiers
  const sweep = yield* makeSweep(acquirer, books)
  const { account } = acquirer
  const holder = identifiers.alphanumeric(16)
  const failed = { times: 0, untilMillis: 0 }

  const read = Effect.all({ state: store.load(account), nowMillis: store.now }, { concurrency: "unbounded" })
  const plan = Effect.map(read, ({ state, nowMillis }) => {
    const pauseMillis = failed.untilMillis - nowMillis
    // A longer pause than there is: Redis' clock was set back.
    const isPaused = pauseMillis > 0 && pauseMillis <= limits.sweepRetryMillisMax
    const due = isPaused ? undefined : planSweep(state, nowMillis, intervalMillis)
    return due && { ...due, hadUnread: state.unreadableCount > 0 }
  })

  /** Renews the lease; ends when another process has it. What Redis does not answer is tried again: the fence decides. */
  const untilLost = Effect.gen(function* () {
    let isHeld = true
    while (isHeld) {
      yield* Effect.sleep(limits.sweepRenewMillis)
      const renewed = yield* Effect.result(store.claim(account, holder, limits.sweepLeaseMillis))
      isHeld = renewed._tag === "Failure" || renewed.success !== undefined
    }
  })

  /** The report, or why there is none. */
  const run = (due: SweepPlan): Effect.Effect<SweepReport | { readonly reason: string }> =>
    Effect.raceFirst(sweep(due), Effect.as(untilLost, { reason: takenOver })).pipe(
      Effect.catch(({ reason }) => Effect.succeed({ reason })),
    )

  /** How much of what a sweep could not read is open; undefined where another process has taken over. */
  const recordUnread = Effect.fnUntraced(function* (
    lease: SweepLease,
    { unread }: SweepReport,
    had: boolean,
  ) {
    if (unread.items.length === 0 && unread.more === 0 && !had) return 0
    const recorded = yield* store.recordUnread(lease, unread)
    return recorded.kind === "stale" ? undefined : recorded.openCount
  })

  const end = Effect.fnUntraced(function* (
    lease: SweepLease,
    due: SweepPlan & { readonly hadUnread: boolean },
  ) {
    const report = yield* run(due)
    if ("reason" in report) return report.reason
    yield* Metric.update(sweepMetrics.items, report.items)
    yield* Metric.update(sweepMetrics.differences, report.differences)
    const open = yield* recordUnread(lease, report, due.hadUnread)
    if (open === undefined) return takenOver
    if (open > 0) return `${open} of its items cannot be read: see \`ops sweep show\``
    if (report.failures > 0) return `${report.failures} of its ${report.items} items are not put right`
    const { nowMillis, isLong } = due
    const { kind } = yield* store.complete(lease, { beganMillis: nowMillis, toMillis: nowMillis, isLong })
    if (kind === "stale") return takenOver
    return undefined
  })

  return Effect.gen(function* () {
    if ((yield* plan) === undefined) return
    const lease = yield* store.claim(account, holder, limits.sweepLeaseMillis)
    if (lease === undefined) return
    // Another process may have ended its sweep in between.
    const due = yield* plan
    if (due === undefined) return
    const reason = yield* end(lease, due)
    // Shortened to nothing, so that a process that is asked for a sweep now need not wait for it.
    yield* store.claim(account, holder, 1)
    yield* Metric.update(reason === undefined ? sweepMetrics.complete : sweepMetrics.incomplete, 1)
    if (reason === undefined) {
      failed.times = 0
      return
    }
    failed.times += 1
    failed.untilMillis = (yield* store.now) + retryMillis(failed.times)
    yield* Effect.logWarning(`The sweep of the acquirer's books is not complete: ${reason}`)
  })
})

/**
 * Compares the live acquirer's books with ours, each `intervalMillis` and whenever a process asks for it, in one process at a time
 * (docs/partner.md#sweeps). Does nothing for an acquirer without books.
 */
export const SweeperLive = (intervalMillis: number) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { live } = yield* Acquirers
      // So that the counters are there before the first sweep.
      yield* Effect.forEach(Object.values(sweepMetrics), (counter) => Metric.update(counter, 0), {
        discard: true,
      })
      if (live.books === undefined) return
      const look = yield* makeSweeper(live, live.books, intervalMillis)
      yield* look.pipe(
        Effect.catch(({ reason }) => Effect.logDebug(`sweeps: ${reason}`)),
        Effect.catchDefect((defect) => Effect.logError("a sweep failed and is repeated", defect)),
        Effect.andThen(Effect.sleep(limits.sweepLookMillis)),
        Effect.forever,
        Effect.forkScoped,
      )
    }),
  )
