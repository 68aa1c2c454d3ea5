import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"

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
