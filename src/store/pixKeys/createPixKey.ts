import { Effect } from "effect"
import type { StoredPixKey } from "../../../actors/ports/pixKeyStore.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["seller", "pix_key", "values", "index", "status_index", "partition_index"],
  args: ["pix_key_id", "value_hash", "keys_max", "...fields"],
  audited: { replies: ["created"], id: "pix_key_id" },
})

const kinds = { created: "created", exists: "exists", limit: "limit", no_seller: "noSeller" } as const

/** Registers a PIX key: `created`, or refused as `exists`, `limit` or `noSeller`. */
export const createPixKey =
  (client: RedisClient["Service"]) =>
  (pixKey: StoredPixKey, olderHashes: ReadonlyArray<string> = []) => {
    const { id, sellerId, mode, status } = pixKey
    const call = callFunction(
      client,
      declaration,
      {
        seller: keys.sellerKey(sellerId),
        pix_key: keys.pixKeyKey(id),
        values: keys.pixKeyValuesKey(pixKey),
        index: keys.pixKeysKey(sellerId, mode),
        status_index: keys.pixKeysKey(sellerId, mode, status),
        partition_index: keys.partitionPixKeysKey(keys.tagOf(sellerId), mode, status),
      },
      {
        pix_key_id: id,
        value_hash: [pixKey.valueHash, ...olderHashes].join(" "),
        keys_max: limits.pixKeysPerModeMax,
        fields: [
          "seller",
          sellerId,
          "mode",
          mode,
          "type",
          pixKey.type,
          "value",
          pixKey.value,
          "masked",
          pixKey.maskedValue,
          "status",
          status,
          "version",
          1,
          "created_at",
          pixKey.createdAt,
          "verified_at",
          pixKey.verifiedAt ?? "",
        ],
      },
    )
    return Effect.flatMap(call, readKind(declaration, kinds))
  }
