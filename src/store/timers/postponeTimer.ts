import { Effect } from "effect"
import type { DueTimer } from "../../../actors/ports/timerQueue.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["timers"],
  args: ["member", "leased_until", "delay_millis", "wake_channel"],
})

/** Makes a leased timer fire again later; undefined if it was claimed or set again since. */
export const postponeTimer = (client: RedisClient["Service"]) => (timer: DueTimer, delayMillis: number) => {
  const tag = keys.tagOf(timer.resourceId)
  const reply = callFunction(
    client,
    declaration,
    { timers: keys.timersKey(tag) },
    {
      member: `${timer.resourceId}:${timer.name}`,
      leased_until: timer.leaseEndMillis,
      delay_millis: delayMillis,
      wake_channel: keys.wakeChannel(tag),
    },
  )
  return Effect.map(reply, (answer): DueTimer | undefined => {
    const leaseEndMillis = Number(words(answer)[0])
    return leaseEndMillis > 0 ? { ...timer, leaseEndMillis } : undefined
  })
}
