import { Effect } from "effect"
import type { StoredPixKey } from "../../../actors/ports/pixKeyStore.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const kinds = { created: "created", exists: "exists", limit: "limit", no_seller: "noSeller" } as const

/** functions/create_pix_key.lua */
export const createPixKey = (client: RedisClient["Service"]) => (pixKey: StoredPixKey) => {
  const { id, sellerId, mode, status } = pixKey
  const call = callFunction(
    client,
    "create_pix_key",
    [
      ...[keys.sellerKey(sellerId), keys.pixKeyKey(id), keys.pixKeyValuesKey(pixKey)],
      ...[keys.pixKeysKey(sellerId, mode), keys.pixKeysKey(sellerId, mode, status)],
      keys.partitionPixKeysKey(keys.tagOf(sellerId), mode, status),
    ],
    [
      ...[id, pixKey.valueHash, limits.pixKeysPerModeMax],
      ...["seller", sellerId, "mode", mode, "type", pixKey.type, "value", pixKey.value],
      ...["masked", pixKey.maskedValue, "status", status, "version", 1],
      ...["created_at", pixKey.createdAt, "verified_at", pixKey.verifiedAt ?? ""],
    ],
  )
  return Effect.flatMap(call, readKind("create_pix_key", kinds))
}
