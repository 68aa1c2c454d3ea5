import { Effect, FiberSet } from "effect"
import { limits } from "../../schema/limits.ts"
import { TimerQueue } from "../ports/timerQueue.ts"
import { fireEach } from "../timers/fireEach.ts"
import { noticeTimerName } from "../values/receivedNotice.ts"
import { Inbox } from "./inbox.ts"

/**
 * The timers of notices. Processing one waits for its acquirer, so it runs in a fiber of its own; past
 * `noticesInProcessMax`, a timer fires again when its lease ends.
 */
export const noticeTimers = Effect.gen(function* () {
  const timerQueue = yield* TimerQueue
  const inbox = yield* Inbox
  const running = yield* FiberSet.make()

  return fireEach([noticeTimerName], (timer) =>
    Effect.flatMap(FiberSet.size(running), (size) => {
      if (size >= limits.noticesInProcessMax) return Effect.void
      // Leased for as long as the acquirer may take, so that nobody else processes the notice meanwhile.
      const processed = timerQueue.postpone(timer, limits.acquirerTimerLeaseMillis).pipe(
        Effect.flatMap((leased) => (leased === undefined ? Effect.void : inbox.process(leased))),
        Effect.catchCause((cause) => Effect.logDebug(`notice ${timer.resourceId} is processed again`, cause)),
      )
      return Effect.asVoid(FiberSet.run(running, processed))
    }),
  )
})
