import { Effect } from "effect"
import type { TimerToDrop } from "../../../actors/ports/timerQueue.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["timers"],
  args: ["member", "leased_until"],
})

/** Drops a timer, unless it was claimed or set again since. */
export const dropTimer = (client: RedisClient["Service"]) => (timer: TimerToDrop) =>
  Effect.asVoid(
    callFunction(
      client,
      declaration,
      { timers: keys.timersKey(keys.tagOf(timer.resourceId)) },
      { member: `${timer.resourceId}:${timer.name}`, leased_until: timer.leaseEndMillis ?? "" },
    ),
  )
