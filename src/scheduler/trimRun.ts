import { Clock, Effect } from "effect"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { Retention } from "../../actors/ports/retention.ts"
import { limits } from "../../schema/limits.ts"

/**
 * The next time after `nowMillis` at which a partition is trimmed: once in each interval, each partition at a time of its own.
 * Restarts do not move it, so however often processes start, it comes.
 */
export const nextTrimMillis = (partition: number, nowMillis: number): number => {
  const shiftMillis = (partition % 64) * (limits.trimIntervalMillis / 64)
  const past = Math.floor((nowMillis - shiftMillis) / limits.trimIntervalMillis)
  return (past + 1) * limits.trimIntervalMillis + shiftMillis
}

/**
 * Trims held partitions by retention, one at a time and step by step, so that requests go in between
 * (docs/decisions/0018-overload-refused-not-queued.md). What ended in test mode is deleted after that, a bounded number a run.
 */
export const makeTrimRun = Effect.gen(function* () {
  const retention = yield* Retention
  const requests = yield* RequestDelay
  /** When each held partition is trimmed next. */
  const held = new Map<number, number>()
  /** Where the next run goes on with a partition's test data, if the last one ended before all was looked through. */
  const testPlaces = new Map<number, string>()

  /** Waits for a moment without waiting requests; after a while the step goes ahead all the same. */
  const yieldToRequests = Effect.gen(function* () {
    for (let looks = 0; looks < limits.auditYieldLooksMax; looks++) {
      if (requests.currentMillis() <= limits.dueWorkYieldsAboveMillis) return
      yield* Effect.sleep(limits.dueWorkLookMillis)
    }
  })

  const trimPartition = Effect.fnUntraced(function* (partition: number) {
    let from: string | undefined
    do {
      yield* yieldToRequests
      const step = yield* retention.trim(partition, from)
      from = step.next
    } while (from !== undefined && held.has(partition))
  })

  const trimTestData = Effect.fnUntraced(function* (partition: number) {
    let from = testPlaces.get(partition)
    let deleted = 0
    do {
      yield* yieldToRequests
      const step = yield* retention.trimTest(partition, from)
      from = step.next
      deleted += step.resources + step.ledgerEntries
      if (from === undefined) testPlaces.delete(partition)
      else testPlaces.set(partition, from)
    } while (from !== undefined && held.has(partition) && deleted < limits.trimmedTestRunMax)
  })

  const trimDue = Effect.gen(function* () {
    const nowMillis = yield* Clock.currentTimeMillis
    for (const [partition, dueMillis] of [...held]) {
      if (dueMillis > nowMillis || !held.has(partition)) continue
      held.set(partition, nextTrimMillis(partition, nowMillis))
      // Events first: a resource goes when none of its events is left.
      yield* Effect.andThen(trimPartition(partition), trimTestData(partition)).pipe(
        Effect.catch((error) =>
          Effect.logDebug(`partition ${partition} is trimmed next time: ${error.reason}`),
        ),
      )
    }
  })

  yield* Effect.andThen(trimDue, Effect.sleep(limits.trimLookMillis)).pipe(
    Effect.catchDefect((defect) => Effect.logError("trimming by retention failed and restarts", defect)),
    Effect.forever,
    Effect.forkScoped,
  )

  return {
    hold: Effect.fnUntraced(function* (partition: number) {
      held.set(partition, nextTrimMillis(partition, yield* Clock.currentTimeMillis))
    }),
    release: (partition: number) => {
      held.delete(partition)
      testPlaces.delete(partition)
    },
  }
})
