import { Effect } from "effect"
import type { NewApiKey } from "../../../actors/ports/sellerStore.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const kinds = {
  created: "created",
  limit: "limit",
  kyc_required: "kycRequired",
  no_seller: "noSeller",
} as const

/** A key's own arguments, as create_api_key.lua and rotate_api_key.lua take them. */
export const keyArguments = (key: NewApiKey): ReadonlyArray<string> => [
  ...[key.id, key.mode, key.name, key.keyPrefix, key.createdAt, key.keyHash],
]

/** functions/create_api_key.lua */
export const createApiKey = (client: RedisClient["Service"]) => (sellerId: string, key: NewApiKey) => {
  const partition = keys.partitionOf(sellerId)
  const call = callFunction(
    client,
    "create_api_key",
    [keys.sellerKey(sellerId), keys.apiKeysKey(sellerId, key.mode), keys.apiKeyKey(partition, key.keyHash)],
    [sellerId, limits.apiKeysPerModeMax, keys.apiKeyKey(partition, ""), ...keyArguments(key)],
  )
  return Effect.flatMap(call, readKind("create_api_key", kinds))
}
