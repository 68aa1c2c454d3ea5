import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

/** functions/shift_timers.lua; `members` are `<resource id>:<name>`, all of the seller's partition. */
export const shiftTimers =
  (client: RedisClient["Service"]) => (sellerId: string, millis: number, members: ReadonlyArray<string>) => {
    const tag = keys.tagOf(sellerId)
    return callFunction(
      client,
      "shift_timers",
      [keys.timersKey(tag)],
      [millis, keys.wakeChannel(tag), ...members],
    )
  }
