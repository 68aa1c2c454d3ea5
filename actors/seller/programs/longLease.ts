import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"

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
