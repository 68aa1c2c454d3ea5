import { Clock, Effect, Exit, Layer } from "effect"
import { dayOf } from "../../actors/values/saoPauloDays.ts"
import { closingLimits } from "../../schema/closingLimits.ts"
import { StoreOptions } from "../store/storeOptions.ts"
import { Closer, closingDueMillis } from "./closer.ts"

/** How long until the next day is due, in ms, at most {@link closingLimits.lookMillisMax}. */
export const closingWaitMillis = (nowMillis: number): number =>
  Math.min(
    closingDueMillis(dayOf(nowMillis - closingLimits.delayMillis)) - nowMillis,
    closingLimits.lookMillisMax,
  )

/**
 * Closes days while the service runs: at its start those that were missed, then each when it is due. All processes look;
 * the one that gets the lease does the work. What fails is done again after {@link closingLimits.retryMillis}.
 */
export const ClosingTimerLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const closer = yield* Closer
    const { processId } = yield* StoreOptions
    const look = Effect.gen(function* () {
      const exit = yield* Effect.exit(closer.closeDue(processId))
      if (Exit.isFailure(exit)) {
        yield* Effect.logWarning("Days could not be closed; it is tried again", exit.cause)
        return yield* Effect.sleep(closingLimits.retryMillis)
      }
      // Whoever closes days may die: its lease ends, and another goes on.
      if (exit.value === undefined) return yield* Effect.sleep(closingLimits.leaseMillis)
      if (exit.value > 0) yield* Effect.logInfo(`Closed ${exit.value} days`)
      yield* Effect.sleep(closingWaitMillis(yield* Clock.currentTimeMillis))
    })
    yield* Effect.forkScoped(Effect.forever(look))
  }),
)
