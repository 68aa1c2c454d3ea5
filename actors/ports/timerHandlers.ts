import { Context, Effect } from "effect"
import type { ClaimedTimer, DueTimer } from "./timerQueue.ts"

/** Fires the due timers of some kinds; a timer's kind is its name up to the first colon. */
export interface TimerHandler {
  readonly kinds: ReadonlyArray<string>
  /** Fires timers that were claimed together. A timer that fails fires again when its lease ends. */
  readonly fire: (due: ReadonlyArray<ClaimedTimer>) => Effect.Effect<void>
}

/** The handler of every kind. Each owner of timers makes its own, and the wiring lists them. */
export class TimerHandlers extends Context.Service<TimerHandlers, ReadonlyArray<TimerHandler>>()(
  "corrente/actors/TimerHandlers",
) {}

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
