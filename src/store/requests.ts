import { Clock, Effect } from "effect"
import type { IdempotencyScope } from "../../actors/values/idempotency.ts"
import { type Principal, sessionKeyHash } from "../../actors/values/principal.ts"
import * as keys from "./keys.ts"
import type { RedisClient, Reply } from "./redis/redisClient.ts"

/** The names of {@link requestKeys}, but for that of the feed's events. */
export const requestKeyNames = ["apiKey", "seller", "idempotency"] as const

/** The keys that `requests.check` of requests.lua takes. */
export const requestKeys = ({ sellerId, mode, keyHash }: Principal, { route, key }: IdempotencyScope) => ({
  apiKey: keys.apiKeyKey(keys.partitionOf(sellerId), keyHash),
  seller: keys.sellerKey(sellerId),
  idempotency: keys.idempotencyKey(sellerId, mode, route, key),
  events: keys.eventsKey({ sellerId, mode }),
})

/** The request that `requests.check` takes. */
export const requestOf = ({ sellerId, mode }: Principal, { fingerprint, executionId }: IdempotencyScope) => ({
  sellerId,
  mode,
  fingerprint,
  execution: executionId,
})

/** The command that checks, in the same pipeline as a read, whether the key is still valid. */
export const apiKeyCheck = ({ sellerId, keyHash }: Principal) =>
  ["HMGET", [keys.apiKeyKey(keys.partitionOf(sellerId), keyHash), "seller", "revoke_at"]] as const

/** Reads the reply to {@link apiKeyCheck}; the same rule as `requests.is_key_valid` of requests.lua. */
export const isKeyValid = (principal: Principal, reply: Reply | undefined, nowMillis: number): boolean => {
  if (principal.keyHash === sessionKeyHash) return true
  const [sellerId, revokeAt] = reply as ReadonlyArray<string | null>
  return sellerId === principal.sellerId && (!revokeAt || Number(revokeAt) > nowMillis)
}

/**
 * Makes the program that reads one resource of a principal and checks its key in the same round trip: the resource, `keyInvalid`,
 * or undefined where there is none or it is another's.
 */
export const makeReadOwn = <Stored extends { readonly sellerId: string; readonly mode: string }>(
  client: RedisClient["Service"],
  keyOf: (id: string) => string,
  fields: ReadonlyArray<string>,
  read: (id: string, reply: Reply | undefined) => Stored | undefined,
) =>
  Effect.fnUntraced(function* (principal: Principal, id: string) {
    const [check, record] = yield* client.callAll([apiKeyCheck(principal), ["HMGET", [keyOf(id), ...fields]]])
    if (!isKeyValid(principal, check, yield* Clock.currentTimeMillis)) {
      return { kind: "keyInvalid" } as const
    }
    const found = read(id, record)
    return found?.sellerId === principal.sellerId && found.mode === principal.mode ? found : undefined
  })
