/**
 * How a change is made without a lock (docs/architecture.md#rule-2):
 * 1. Read the state with its version.
 * 2. Decide: a pure function of the state and the time.
 * 3. Commit, guarded by the version. If others committed since 1, nothing is written: go back to 1, at most `attemptsMax` times.
 *
 * If the process dies between 2 and 3, nothing has happened. If it dies after 3, or the reply is lost, the change may be made: it is
 * unknown, not failed (docs/architecture.md#rule-7), and a repetition recognises it.
 */

import { Effect } from "effect"
import { type ApiError, serviceUnavailable } from "../../schema/errors.ts"
import { limits } from "../../schema/limits.ts"

/** An attempt whose commit wrote nothing, because the state had changed since it was read. */
export const stale: unique symbol = Symbol("stale")

/** A change that is decided on a state and committed only while that state stands. */
export interface OptimisticChange<State, A, Answer, ReadError, E, F> {
  /** The state of the first attempt, where the caller has read it already. */
  readonly known?: State
  /** Reads the state of the next attempt. */
  readonly read: Effect.Effect<State, ReadError>
  /** Decides on the state and commits, guarded by the state's version. `attempt` counts from 0. */
  readonly attempt: (state: State, attempt: number) => Effect.Effect<A | typeof stale, E>
  /** Answers when every attempt was stale; gets the last state that was tried. */
  readonly giveUp: (state: State) => Effect.Effect<Answer, F>
  /** By default `limits.decisionsMax`. */
  readonly attemptsMax?: number
}

/**
 * Decides and commits until a commit is not stale, on freshly read state each time, at most `attemptsMax` times.
 * Then it gives up: with 503 `service_unavailable` where `giveUp` is {@link changedByOthers}.
 */
export const decideAndCommit = <State, A, Answer, ReadError, E, F>({
  known,
  read,
  attempt,
  giveUp,
  attemptsMax = limits.decisionsMax,
}: OptimisticChange<State, A, Answer, ReadError, E, F>): Effect.Effect<A | Answer, ReadError | E | F> =>
  Effect.gen(function* () {
    let state = known ?? (yield* read)
    for (let count = 0; ; count++) {
      const outcome = yield* attempt(state, count)
      if (outcome !== stale) return outcome
      if (count + 1 === attemptsMax) return yield* giveUp(state)
      state = yield* read
    }
  })

/** 503 `service_unavailable`: others changed `what` between each decision and its commit. */
export const changedByOthers = (what: string): Effect.Effect<never, ApiError<"service_unavailable">> =>
  Effect.suspend(() =>
    Effect.fail(serviceUnavailable(`Other requests keep changing the ${what}. Try again in a second.`, 1)),
  )
