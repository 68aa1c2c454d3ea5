import { Effect } from "effect"
import type { Principal } from "../../../actors/values/principal.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["api_key", "attempt", "due"],
  args: ["seller_id", "mode", "promised_id", "delivery_prefix", "queue_prefix", "events", "wake_channel"],
})

const kinds = {
  queued: "queued",
  missing: "missing",
  succeeded: "succeeded",
  scheduled: "scheduled",
  expired: "expired",
  key_invalid: "keyInvalid",
} as const

/**
 * Queues an ended delivery again under the new id: `queued`, or refused as `missing`, `succeeded`, `scheduled`, `expired` or
 * `keyInvalid` (docs/contract/deliveries.md#replay).
 */
export const retryDelivery =
  (client: RedisClient["Service"]) => (principal: Principal, deliveryId: string, newDeliveryId: string) => {
    const tag = keys.tagOf(principal.sellerId)
    const call = callFunction(
      client,
      declaration,
      {
        api_key: keys.apiKeyKey(keys.partitionOf(principal.sellerId), principal.keyHash),
        attempt: keys.keyWithin(tag, keys.attemptKey(deliveryId)),
        due: keys.dueKey(tag),
      },
      {
        seller_id: principal.sellerId,
        mode: principal.mode,
        promised_id: newDeliveryId,
        delivery_prefix: keys.deliveryPrefix(tag),
        queue_prefix: keys.queuePrefix(tag),
        events: keys.eventsKey(principal),
        wake_channel: keys.wakeChannel(tag),
      },
    )
    return Effect.flatMap(call, readKind(declaration, kinds))
  }
