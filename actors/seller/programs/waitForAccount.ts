import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"
import { makeAccountChanged } from "./accountChanged.ts"

/**
 * Makes the program that lets the timer of a charge, withdrawal or refund of another acquirer account wait, logs why, and records it as
 * an exception.
 */
export const makeWaitForAccount = Effect.gen(function* () {
  const timers = yield* TimerQueue
  const accountChanged = yield* makeAccountChanged

  return Effect.fnUntraced(function* (timer: DueTimer, reason: string) {
    yield* Effect.logError(`${reason}: nothing is asked or sent until that account is configured again`)
    yield* accountChanged(timer.resourceId)
    yield* timers.postpone(timer, limits.otherAccountWaitMillis)
  })
})
