import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"

/** Makes the program that lets the timer of a charge or withdrawal of another acquirer account wait, and logs why. */
export const makeWaitForAccount = Effect.map(
  TimerQueue,
  (timers) => (timer: DueTimer, reason: string) =>
    Effect.andThen(
      Effect.logError(`${reason}: nothing is asked or sent until that account is configured again`),
      Effect.asVoid(timers.postpone(timer, limits.otherAccountWaitMillis)),
    ),
)
