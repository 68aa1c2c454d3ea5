import { Effect } from "effect"
import type { Principal } from "../../../actors/ports/transactionStore.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const kinds = {
  queued: "queued",
  missing: "missing",
  succeeded: "succeeded",
  scheduled: "scheduled",
  expired: "expired",
  key_invalid: "keyInvalid",
} as const

/** functions/retry_delivery.lua */
export const retryDelivery =
  (client: RedisClient["Service"]) => (principal: Principal, deliveryId: string, newDeliveryId: string) => {
    const tag = keys.tagOf(principal.sellerId)
    const call = callFunction(
      client,
      "retry_delivery",
      [
        keys.apiKeyKey(keys.partitionOf(principal.sellerId), principal.keyHash),
        keys.keyWithin(tag, keys.attemptKey(deliveryId)),
        keys.dueKey(tag),
      ],
      [
        principal.sellerId,
        principal.mode,
        newDeliveryId,
        keys.deliveryPrefix(tag),
        keys.queuePrefix(tag),
        keys.eventsKey(principal),
        keys.wakeChannel(tag),
      ],
    )
    return Effect.flatMap(call, readKind("retry_delivery", kinds))
  }
