import { Effect } from "effect"
import { type TimerHandler, TimerHandlers } from "../../actors/ports/timerHandlers.ts"
import { type ClaimedTimer, type DueTimer, TimerQueue } from "../../actors/ports/timerQueue.ts"
import { fireEach } from "../../actors/timers/fireEach.ts"

const kindOf = ({ name }: DueTimer): string => {
  const colon = name.indexOf(":")
  return colon < 0 ? name : name.slice(0, colon)
}

/** Makes the program that fires claimed timers, all timers of a handler in one call. */
export const makeFireTimers = Effect.gen(function* () {
  const timerQueue = yield* TimerQueue
  const byKind = new Map<string, TimerHandler>()
  for (const handler of yield* TimerHandlers) {
    for (const kind of handler.kinds) {
      if (byKind.has(kind)) return yield* Effect.die(new Error(`timers of kind ${kind} have two handlers`))
      byKind.set(kind, handler)
    }
  }

  const unknown = fireEach([], (timer) =>
    Effect.andThen(
      Effect.logWarning(`timer ${timer.name} of ${timer.resourceId} is of no known kind and was dropped`),
      timerQueue.drop(timer),
    ),
  )

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
