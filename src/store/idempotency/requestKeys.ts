import type { IdempotencyScope } from "../../../actors/values/idempotency.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import * as keys from "../keys.ts"

/** The keys of every write under an API key and an Idempotency-Key. */
export const requestKeys = (principal: Principal, idempotency: IdempotencyScope) => ({
  api_key: keys.apiKeyKey(keys.partitionOf(principal.sellerId), principal.keyHash),
  seller: keys.sellerKey(principal.sellerId),
  idempotency: keys.idempotencyKey(principal.sellerId, principal.mode, idempotency.route, idempotency.key),
  events: keys.eventsKey(principal),
})
