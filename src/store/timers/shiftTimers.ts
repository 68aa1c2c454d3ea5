import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["timers"],
  args: ["millis", "wake_channel", "...members"],
})

/** Makes timers of a seller's partition due earlier; `members` are `<resource id>:<name>`. */
export const shiftTimers =
  (client: RedisClient["Service"]) => (sellerId: string, millis: number, members: ReadonlyArray<string>) => {
    const tag = keys.tagOf(sellerId)
    return callFunction(
      client,
      declaration,
      { timers: keys.timersKey(tag) },
      { millis, wake_channel: keys.wakeChannel(tag), members },
    )
  }
