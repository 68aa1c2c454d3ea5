import { Effect } from "effect"
import type { EndpointScope, Ping } from "../../../actors/ports/endpointStore.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["destination", "endpoints", "events", "feed", "due"],
  args: [
    "endpoint_id",
    "promised_id",
    "event_data",
    "retention_millis",
    "hint_channel",
    "wake_channel",
    "queue_prefix",
    "delivery_prefix",
  ],
})

/** Sends a ping to an endpoint: `queued`, or refused as `missing`. */
export const pingEndpoint =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) =>
  ({ feed, endpointId }: EndpointScope, { deliveryId, data }: Ping) => {
    const tag = keys.tagOf(feed.sellerId)
    const call = callFunction(
      client,
      declaration,
      {
        destination: keys.keyWithin(tag, keys.destinationKey(endpointId)),
        endpoints: keys.endpointsKey(feed),
        events: keys.eventsKey(feed),
        feed: keys.feedKey(feed),
        due: keys.dueKey(tag),
      },
      {
        endpoint_id: endpointId,
        promised_id: deliveryId,
        event_data: data,
        retention_millis: options.retentionMillis,
        hint_channel: keys.feedChannel(feed),
        wake_channel: keys.wakeChannel(tag),
        queue_prefix: keys.queuePrefix(tag),
        delivery_prefix: `${keys.deliveryPrefix(tag)}${endpointId}:`,
      },
    )
    return Effect.flatMap(call, readKind(declaration, { queued: "queued", missing: "missing" }))
  }
