/**
 * How one act is done to many rows (docs/contract/bulk.md):
 * 1. The request keeps the bulk act with the ids of its rows, and a timer that is due at once.
 * 2. The process that runs the partition's timers claims it, and leases it for longer than a few rows take.
 * 3. It does a few rows, each by the operation of the act alone, when no request waits.
 * 4. It records how far it is, which extends the lease; then 3 again, until the last row ends the timer.
 *
 * If the process dies, the lease ends and another goes on where 4 was last recorded: the rows since then are tried again, which changes
 * nothing. Two processes at it do no harm either: the one that records second finds its record stale, and stops.
 */

import { Effect, FiberSet } from "effect"
import { limits } from "../../schema/limits.ts"
import { BulkStore, type StoredBulk } from "../ports/bulkStore.ts"
import { RequestDelay } from "../ports/requestDelay.ts"
import { type DueTimer, TimerQueue } from "../ports/timerQueue.ts"
import { fireEach } from "../timers/fireEach.ts"
import { requestsFirst } from "../timers/requestsFirst.ts"
import { bulkTimerName } from "../values/bulkTimer.ts"
import { makeBulkRow } from "./bulkRow.ts"

/** The timers of bulk acts. Each runs in a fiber of its own, so that other timers of the claim do not wait for it. */
export const bulkTimers = Effect.gen(function* () {
  const timerQueue = yield* TimerQueue
  const bulks = yield* BulkStore
  const requests = yield* RequestDelay
  const doRow = yield* makeBulkRow
  const running = yield* FiberSet.make()

  /** A row that breaks counts as failed: it must not hold up the seller's other rows for ever. */
  const tryRow = (bulk: StoredBulk, id: string) =>
    Effect.catchDefect(doRow(bulk, id), (defect) =>
      Effect.as(Effect.logError(`row ${id} of bulk act ${bulk.id} broke`, defect), "internal_error" as const),
    )

  /** Does the next few rows, and answers what became of the record of them. */
  const step = Effect.fnUntraced(function* (bulk: StoredBulk) {
    yield* requestsFirst(requests)
    const rows = bulk.ids.slice(bulk.done, bulk.done + limits.bulkRowsAtOnce)
    const ends = yield* Effect.forEach(
      rows,
      (id) => Effect.map(tryRow(bulk, id), (code) => (code === undefined ? [] : [{ id, code }])),
      { concurrency: "unbounded" },
    )
    const done = bulk.done + rows.length
    const { kind } = yield* bulks.advance(bulk, done, ends.flat())
    return { kind, bulk: { ...bulk, done } }
  })

  const carryOn = Effect.fnUntraced(function* (timer: DueTimer) {
    const leased = yield* timerQueue.postpone(timer, limits.bulkLeaseMillis)
    if (leased === undefined) return
    const found = yield* bulks.load(timer.resourceId)
    if (found === undefined) return yield* timerQueue.drop(leased)
    for (let next = yield* step(found); next.kind === "advanced"; ) next = yield* step(next.bulk)
  })

  return fireEach([bulkTimerName], (timer) =>
    Effect.flatMap(FiberSet.size(running), (size) => {
      if (size >= limits.bulkActsInProcessMax) return Effect.void
      const carriedOn = Effect.catchCause(carryOn(timer), (cause) =>
        Effect.logDebug(`bulk act ${timer.resourceId} is carried on later`, cause),
      )
      return Effect.asVoid(FiberSet.run(running, carriedOn))
    }),
  )
})
