import { Effect } from "effect"
import type { EndpointScope, Ping } from "../../../actors/ports/endpointStore.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

/** functions/ping_endpoint.lua */
export const pingEndpoint =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) =>
  ({ feed, endpointId }: EndpointScope, { deliveryId, data }: Ping) => {
    const tag = keys.tagOf(feed.sellerId)
    const call = callFunction(
      client,
      "ping_endpoint",
      [
        ...[keys.keyWithin(tag, keys.destinationKey(endpointId)), keys.endpointsKey(feed)],
        ...[keys.eventsKey(feed), keys.feedKey(feed), keys.dueKey(tag)],
      ],
      [
        ...[endpointId, deliveryId, data, options.retentionMillis, keys.feedChannel(feed)],
        ...[keys.wakeChannel(tag), keys.queuePrefix(tag), `${keys.deliveryPrefix(tag)}${endpointId}:`],
      ],
    )
    return Effect.flatMap(call, readKind("ping_endpoint", { queued: "queued", missing: "missing" }))
  }
