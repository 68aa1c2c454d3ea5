import { type Principal, sessionKeyHash } from "../../../actors/values/principal.ts"
import * as keys from "../keys.ts"
import type { Reply } from "../redis/redisClient.ts"

/** The command that checks, in the same pipeline as a read, whether the key is still valid. */
export const apiKeyCheck = (principal: Principal) =>
  [
    "HMGET",
    [keys.apiKeyKey(keys.partitionOf(principal.sellerId), principal.keyHash), "seller", "revoke_at"],
  ] as const

/** Reads the reply to {@link apiKeyCheck}; the same rule as `key_is_valid` in redis/prelude.lua. */
export const isKeyValid = (principal: Principal, reply: Reply | undefined, nowMillis: number): boolean => {
  if (principal.keyHash === sessionKeyHash) return true
  const [sellerId, revokeAt] = reply as ReadonlyArray<string | null>
  return sellerId === principal.sellerId && (!revokeAt || Number(revokeAt) > nowMillis)
}
