import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["queue", "due"],
  args: ["destination_id", "delivery_prefix", "wake_channel", "millis", "...entries"],
})

/** Makes entries of a destination's queue due earlier, except leased ones. */
export const shiftDeliveries =
  (client: RedisClient["Service"]) =>
  (destinationId: string, millis: number, entryIds: ReadonlyArray<string>) => {
    const tag = keys.tagOfDestination(destinationId)
    return callFunction(
      client,
      declaration,
      { queue: keys.queueKey(destinationId), due: keys.dueKey(tag) },
      {
        destination_id: destinationId,
        delivery_prefix: keys.deliveryKey(destinationId, ""),
        wake_channel: keys.wakeChannel(tag),
        millis,
        entries: entryIds,
      },
    )
  }
