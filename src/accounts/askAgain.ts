import { Effect, Schedule } from "effect"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"

/**
 * Repeats an idempotent write whose reply was lost (docs/architecture.md#rule-7): twice, 300 ms apart, which covers a
 * reconnection; then it fails as unknown.
 */
export const askAgain = <A, E, R>(
  write: Effect.Effect<A, E | StoreUnavailable, R>,
): Effect.Effect<A, E | StoreUnavailable, R> =>
  Effect.retry(write, {
    times: 2,
    schedule: Schedule.spaced(300),
    while: (error: unknown) => (error as { readonly _tag?: unknown })._tag === "StoreUnavailable",
  })
