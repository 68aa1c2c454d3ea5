import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

/** functions/shift_deliveries.lua; `entryIds` are entries of the destination's queue. */
export const shiftDeliveries =
  (client: RedisClient["Service"]) =>
  (destinationId: string, millis: number, entryIds: ReadonlyArray<string>) => {
    const tag = keys.tagOfDestination(destinationId)
    return callFunction(
      client,
      "shift_deliveries",
      [keys.queueKey(destinationId), keys.dueKey(tag)],
      [destinationId, keys.deliveryKey(destinationId, ""), keys.wakeChannel(tag), millis, ...entryIds],
    )
  }
