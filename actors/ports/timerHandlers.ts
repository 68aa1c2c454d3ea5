import { Context, type Effect } from "effect"
import type { ClaimedTimer } from "./timerQueue.ts"

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
