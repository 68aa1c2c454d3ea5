import { Effect, FiberSet } from "effect"
import { limits } from "../../schema/limits.ts"
import { ExceptionStore } from "../ports/exceptionStore.ts"
import { type DueTimer, TimerQueue } from "../ports/timerQueue.ts"
import { fireEach } from "../timers/fireEach.ts"
import { exceptionTimerName } from "../values/exceptionTimers.ts"
import { readPending } from "./decisions/exceptionActs.ts"
import { makeFireBooking } from "./programs/exceptionProgress.ts"
import { makeFireRefund } from "./programs/exceptionRefund.ts"

/**
 * The timers of exceptions whose act is under way. A refund waits for its acquirer, so each runs in a fiber of its own; past
 * `noticesInProcessMax`, a timer fires again when its lease ends.
 */
export const exceptionTimers = Effect.gen(function* () {
  const timerQueue = yield* TimerQueue
  const exceptions = yield* ExceptionStore
  const fireRefund = yield* makeFireRefund
  const fireBooking = yield* makeFireBooking
  const running = yield* FiberSet.make()

  const fire = Effect.fnUntraced(function* (timer: DueTimer) {
    const stored = yield* exceptions.load(timer.resourceId)
    const pending = stored && readPending(stored)
    if (stored === undefined || pending?.stage !== "going") return yield* timerQueue.drop(timer)
    if (pending.act === "refund") return yield* fireRefund(timer, stored, pending)
    return yield* fireBooking(timer, pending.act === "debit" ? "debit" : "credit")
  })

  return fireEach([exceptionTimerName], (timer) =>
    Effect.flatMap(FiberSet.size(running), (size) => {
      if (size >= limits.noticesInProcessMax) return Effect.void
      // Leased for as long as the acquirer may take, so that nobody else carries it on meanwhile.
      const carriedOn = timerQueue.postpone(timer, limits.acquirerTimerLeaseMillis).pipe(
        Effect.flatMap((leased) => (leased === undefined ? Effect.void : fire(leased))),
        Effect.catchCause((cause) =>
          Effect.logDebug(`exception ${timer.resourceId} is carried on later`, cause),
        ),
      )
      return Effect.asVoid(FiberSet.run(running, carriedOn))
    }),
  )
})
