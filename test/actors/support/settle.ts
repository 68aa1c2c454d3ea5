import { Effect } from "effect"
import { TestClock } from "effect/testing"

/** Whole turns of the event loop after which everything in these tests that does not wait for time has come to rest. */
const turns = 60

/** Lets everything run that does not wait for time, input and output included: a fiber's own turns would not. */
export const settle: Effect.Effect<void> = Effect.promise(async () => {
  for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate)
})

/** Lets that many milliseconds pass and everything run that becomes due. */
export const pass = (millis: number): Effect.Effect<void> =>
  settle.pipe(Effect.andThen(TestClock.adjust(millis)), Effect.andThen(settle))
