import { Effect } from "effect"
import type { EndpointScope } from "../../../actors/ports/endpointStore.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["destination", "endpoints", "subscriptions", "postbacks", "attempts_of_endpoint?"],
  args: ["endpoint_id", "operation", "retention_millis"],
  audited: { replies: ["deleted"], id: "endpoint_id" },
})

/** Deletes a webhook endpoint: `deleted`, or refused as `missing`. `operation` identifies retries after a lost reply. */
export const deleteEndpoint =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) =>
  ({ feed, endpointId }: EndpointScope, operation: string) => {
    const tag = keys.tagOf(feed.sellerId)
    const call = callFunction(
      client,
      declaration,
      {
        destination: keys.keyWithin(tag, keys.destinationKey(endpointId)),
        endpoints: keys.endpointsKey(feed),
        subscriptions: keys.subscriptionsKey(feed),
        postbacks: keys.postbacksKey(feed),
        attempts_of_endpoint: keys.attemptsKey(feed.sellerId, feed.mode, {
          kind: "endpoint",
          value: endpointId,
        }),
      },
      { endpoint_id: endpointId, operation, retention_millis: options.retentionMillis },
    )
    return Effect.flatMap(call, readKind(declaration, { deleted: "deleted", missing: "missing" }))
  }
