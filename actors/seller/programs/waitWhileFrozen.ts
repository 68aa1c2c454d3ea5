import { Clock, Effect } from "effect"
import type { Mode } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { PayoutGate } from "../../ports/payoutGate.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"

/**
 * Makes the program that postpones a timer while nothing may be handed to the acquirer
 * (docs/contract/exceptions.md#freeze); answers whether it has. It logs the reason, once a minute at most: a freeze may
 * hold up many payouts and refunds.
 */
export const makeWaitWhileFrozen = Effect.gen(function* () {
  const timers = yield* TimerQueue
  const gate = yield* PayoutGate
  let reportedMillis = Number.NEGATIVE_INFINITY

  return Effect.fnUntraced(function* (timer: DueTimer, mode: Mode) {
    const reason = yield* gate.frozen(mode)
    if (reason === undefined) return false
    const nowMillis = yield* Clock.currentTimeMillis
    if (nowMillis - reportedMillis >= limits.frozenReportMillis) {
      reportedMillis = nowMillis
      yield* Effect.logWarning(`payouts and refunds wait (${timer.resourceId} among them), frozen: ${reason}`)
    }
    yield* timers.postpone(timer, limits.frozenWaitMillis)
    return true
  })
})
