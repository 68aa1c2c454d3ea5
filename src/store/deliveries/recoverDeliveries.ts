import { Effect } from "effect"
import type { EndpointScope } from "../../../actors/ports/endpointStore.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

/** functions/recover_deliveries.lua; answers how many were queued. */
export const recoverDeliveries =
  (client: RedisClient["Service"]) =>
  ({ feed, endpointId }: EndpointScope, entryIds: ReadonlyArray<string>) => {
    const tag = keys.tagOf(feed.sellerId)
    return Effect.map(
      callFunction(
        client,
        "recover_deliveries",
        [
          keys.dueKey(tag),
          keys.keyWithin(tag, keys.queueKey(endpointId)),
          keys.eventsKey(feed),
          keys.endpointsKey(feed),
        ],
        [endpointId, `${keys.deliveryPrefix(tag)}${endpointId}:`, keys.wakeChannel(tag), ...entryIds],
      ),
      (reply) => Number(words(reply)[1] ?? 0),
    )
  }
