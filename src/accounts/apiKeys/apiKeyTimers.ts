import { Effect } from "effect"
import { ApiKeyStore } from "../../../actors/ports/apiKeyStore.ts"
import { TimerQueue } from "../../../actors/ports/timerQueue.ts"
import { fireEach } from "../../../actors/timers/fireEach.ts"
import { parseRevokeTimer, revokeTimerKind } from "../../../actors/values/revokeTimer.ts"

/** The timer of a rotated API key ends the key when its day of grace is over. */
export const apiKeyTimers = Effect.gen(function* () {
  const timerQueue = yield* TimerQueue
  const apiKeys = yield* ApiKeyStore

  return fireEach([revokeTimerKind], (timer) => {
    const owner = parseRevokeTimer(timer.name)
    if (owner === undefined) return timerQueue.drop(timer)
    return apiKeys.expire(owner.sellerId, owner.mode, timer.resourceId)
  })
})
