import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"

/** Contains a timer that breaks, so that the seller's other messages go on: its lease ends and it fires again. */
export const firesAgain = (
  timer: DueTimer,
  fired: Effect.Effect<void, StoreUnavailable>,
): Effect.Effect<void> => {
  const name = `timer ${timer.name} of ${timer.resourceId}`
  return fired.pipe(
    Effect.catchTag("StoreUnavailable", (error) => Effect.logDebug(`${name} fires again: ${error.reason}`)),
    Effect.catchDefect((defect) => Effect.logError(`${name} broke and fires again`, defect)),
  )
}

/**
 * Makes the program that fires a timer under a lease that outlasts calls to a remote acquirer. A timer that is no longer
 * ours does not fire.
 */
export const makeFireWithLongLease = Effect.map(
  TimerQueue,
  (timers) =>
    (
      timer: DueTimer,
      fire: (timer: DueTimer) => Effect.Effect<void, StoreUnavailable>,
    ): Effect.Effect<void, StoreUnavailable> =>
      Effect.flatMap(timers.postpone(timer, limits.acquirerTimerLeaseMillis), (leased) =>
        leased === undefined ? Effect.void : fire(leased),
      ),
)
