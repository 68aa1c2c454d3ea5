import { Effect } from "effect"
import type { NewApiKey } from "../../../actors/ports/sellerStore.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["seller", "keys_of_mode", "api_key"],
  args: [
    "seller_id",
    "keys_max",
    "api_key_prefix",
    "key_id",
    "mode",
    "name",
    "shown_prefix",
    "created_at",
    "key_hash",
  ],
  audited: { replies: ["created"], id: "key_id" },
})

const kinds = {
  created: "created",
  limit: "limit",
  seller_not_allowed: "sellerNotAllowed",
  kyc_required: "kycRequired",
  no_seller: "noSeller",
} as const

/** The arguments that describe a key, as createApiKey.lua and rotateApiKey.lua name them. */
export const keyArguments = (key: NewApiKey) => ({
  ...{ key_id: key.id, mode: key.mode, name: key.name },
  ...{ shown_prefix: key.keyPrefix, created_at: key.createdAt, key_hash: key.keyHash },
})

/** Adds an API key: `created`, or refused as `limit`, `sellerNotAllowed`, `kycRequired` or `noSeller`. */
export const createApiKey = (client: RedisClient["Service"]) => (sellerId: string, key: NewApiKey) => {
  const partition = keys.partitionOf(sellerId)
  const call = callFunction(
    client,
    declaration,
    {
      seller: keys.sellerKey(sellerId),
      keys_of_mode: keys.apiKeysKey(sellerId, key.mode),
      api_key: keys.apiKeyKey(partition, key.keyHash),
    },
    {
      seller_id: sellerId,
      keys_max: limits.apiKeysPerModeMax,
      api_key_prefix: keys.apiKeyKey(partition, ""),
      ...keyArguments(key),
    },
  )
  return Effect.flatMap(call, readKind(declaration, kinds))
}
