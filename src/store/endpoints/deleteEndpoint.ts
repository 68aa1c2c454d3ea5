import { Effect } from "effect"
import type { EndpointScope } from "../../../actors/ports/endpointStore.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

/** functions/delete_endpoint.lua; `operation` names this call and its repetitions after a lost reply. */
export const deleteEndpoint =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) =>
  ({ feed, endpointId }: EndpointScope, operation: string) => {
    const tag = keys.tagOf(feed.sellerId)
    const call = callFunction(
      client,
      "delete_endpoint",
      [
        ...[keys.keyWithin(tag, keys.destinationKey(endpointId)), keys.endpointsKey(feed)],
        ...[keys.subscriptionsKey(feed), keys.keyWithin(tag, keys.endpointStatsKey(endpointId))],
        keys.postbacksKey(feed),
      ],
      [endpointId, operation, options.retentionMillis],
    )
    return Effect.flatMap(call, readKind("delete_endpoint", { deleted: "deleted", missing: "missing" }))
  }
