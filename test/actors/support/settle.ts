import { Effect } from "effect"
import { TestClock } from "effect/testing"

/** Turns of the event loop after which everything in these tests that does not wait for time has come to rest. */
const turnsMax = 60

/** Lets everything run that does not wait for time. */
export const settle: Effect.Effect<void> = Effect.forEach(
  Array.from({ length: turnsMax }),
  () => Effect.yieldNow,
  { discard: true },
)

/** Lets that many milliseconds pass and everything run that becomes due. */
export const pass = (millis: number): Effect.Effect<void> =>
  settle.pipe(Effect.andThen(TestClock.adjust(millis)), Effect.andThen(settle))
