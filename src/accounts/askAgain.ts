import { Effect, Schedule } from "effect"
import type { StoreUnavailable } from "../../actors/ports/store.ts"

/**
 * Repeats a write that answers alike when it was applied before: a lost reply says nothing of the write (rule 7).
 * Twice, after 300 ms each, which a reconnection takes; then it fails as unknown.
 */
export const askAgain = <A, E, R>(
  write: Effect.Effect<A, E | StoreUnavailable, R>,
): Effect.Effect<A, E | StoreUnavailable, R> =>
  Effect.retry(write, {
    times: 2,
    schedule: Schedule.spaced(300),
    while: (error: unknown) => (error as { readonly _tag?: unknown })._tag === "StoreUnavailable",
  })
