import { Effect } from "effect"
import type { TimerHandler } from "../ports/timerHandlers.ts"
import type { DueTimer } from "../ports/timerQueue.ts"

/** Logs a failure: the timer keeps its lease, and fires again when that ends. */
export const orFireAgain = (
  { name, resourceId }: DueTimer,
  fired: Effect.Effect<void, { readonly reason: string }>,
): Effect.Effect<void> =>
  Effect.catch(fired, ({ reason }) =>
    Effect.logDebug(`timer ${name} of ${resourceId} fires again: ${reason}`),
  )

/** A handler that fires each timer by itself. */
export const fireEach = (
  kinds: ReadonlyArray<string>,
  fire: (timer: DueTimer) => Effect.Effect<void, { readonly reason: string }>,
): TimerHandler => ({
  kinds,
  fire: (due) =>
    Effect.forEach(due, (timer) => orFireAgain(timer, fire(timer)), {
      concurrency: "unbounded",
      discard: true,
    }),
})
