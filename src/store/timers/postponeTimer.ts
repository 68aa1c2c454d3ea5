import { Effect } from "effect"
import type { DueTimer } from "../../../actors/ports/timerQueue.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

/** functions/postpone_timer.lua */
export const postponeTimer = (client: RedisClient["Service"]) => (timer: DueTimer, delayMillis: number) => {
  const tag = keys.tagOf(timer.resourceId)
  const reply = callFunction(
    client,
    "postpone_timer",
    [keys.timersKey(tag)],
    [`${timer.resourceId}:${timer.name}`, timer.leaseEndMillis, delayMillis, keys.wakeChannel(tag)],
  )
  return Effect.map(reply, (answer): DueTimer | undefined => {
    const leaseEndMillis = Number(words(answer)[0])
    return leaseEndMillis > 0 ? { ...timer, leaseEndMillis } : undefined
  })
}
