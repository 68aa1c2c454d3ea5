import { Effect } from "effect"
import type { TimerToDrop } from "../../../actors/ports/timerQueue.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

/** functions/drop_timer.lua */
export const dropTimer = (client: RedisClient["Service"]) => (timer: TimerToDrop) =>
  Effect.asVoid(
    callFunction(
      client,
      "drop_timer",
      [keys.timersKey(keys.tagOf(timer.resourceId))],
      [`${timer.resourceId}:${timer.name}`, timer.leaseEndMillis ?? ""],
    ),
  )
