import { Effect } from "effect"
import type { DueTimer } from "../../ports/timerQueue.ts"
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
