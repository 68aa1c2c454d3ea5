import { Effect } from "effect"
import type { DueTimer } from "../../../actors/ports/timerQueue.ts"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"

/** functions/postpone_timer.lua */
export const postponeTimer = (client: RedisClient["Service"]) => (timer: DueTimer, delayMillis: number) => {
  const tag = keys.tagOf(timer.resourceId)
  return Effect.asVoid(
    callFunction(
      client,
      "postpone_timer",
      [keys.timersKey(tag)],
      [`${timer.resourceId}:${timer.name}`, timer.leaseEndMillis, delayMillis, keys.wakeChannel(tag)],
    ),
  )
}
