import type { IdempotencyScope, Principal } from "../../../actors/ports/transactionStore.ts"
import * as keys from "../keys.ts"

/** The first keys of every write under an API key and an Idempotency-Key: key, seller, record, events. */
export const requestKeys = (principal: Principal, idempotency: IdempotencyScope): ReadonlyArray<string> => [
  keys.apiKeyKey(keys.partitionOf(principal.sellerId), principal.keyHash),
  keys.sellerKey(principal.sellerId),
  keys.idempotencyKey(principal.sellerId, principal.mode, idempotency.route, idempotency.key),
  keys.eventsKey(principal),
]
