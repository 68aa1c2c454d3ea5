import { Effect } from "effect"
import { type TimerHandler, TimerHandlers } from "../../actors/ports/timerHandlers.ts"
import type { ClaimedTimer, DueTimer } from "../../actors/ports/timerQueue.ts"

const kindOf = ({ name }: DueTimer): string => {
  const colon = name.indexOf(":")
  return colon < 0 ? name : name.slice(0, colon)
}

/**
 * Makes the program that fires claimed timers, all timers of a handler in one call. A timer of an unknown kind belongs to a newer
 * build: it keeps its lease, and is due again when that ends (docs/contract/versioning.md#two-builds-side-by-side).
 */
export const makeFireTimers = Effect.gen(function* () {
  const byKind = new Map<string, TimerHandler>()
  for (const handler of yield* TimerHandlers) {
    for (const kind of handler.kinds) {
      if (byKind.has(kind)) return yield* Effect.die(new Error(`timers of kind ${kind} have two handlers`))
      byKind.set(kind, handler)
    }
  }

  const unknownKinds = new Set<string>()
  const leave = (due: ReadonlyArray<ClaimedTimer>) =>
    Effect.forEach(
      due,
      (timer) => {
        const kind = kindOf(timer)
        if (unknownKinds.has(kind)) return Effect.void
        unknownKinds.add(kind)
        return Effect.logWarning(
          `timers of kind ${kind} wait for a build that knows it, as timer ${timer.name} of ${timer.resourceId}`,
        )
      },
      { discard: true },
    )
  const unknown: TimerHandler = { kinds: [], fire: leave }

  const byHandler = (claimed: ReadonlyArray<ClaimedTimer>) => {
    const found = new Map<TimerHandler, Array<ClaimedTimer>>()
    for (const timer of claimed) {
      const handler = byKind.get(kindOf(timer)) ?? unknown
      const others = found.get(handler)
      if (others === undefined) found.set(handler, [timer])
      else others.push(timer)
    }
    return found
  }

  return (claimed: ReadonlyArray<ClaimedTimer>): Effect.Effect<void> =>
    Effect.forEach(byHandler(claimed), ([handler, due]) => handler.fire(due), {
      concurrency: "unbounded",
      discard: true,
    })
})
