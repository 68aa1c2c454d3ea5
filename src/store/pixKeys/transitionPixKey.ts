import { Effect } from "effect"
import type { PixKeyTransition } from "../../../actors/ports/pixKeyStore.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["pix_key", "values", "old_index", "new_index", "old_partition_index", "new_partition_index"],
  args: ["pix_key_id", "expected_version", "old_status", "new_status", "verified_at", "is_over"],
  audited: { replies: ["applied"], id: "pix_key_id" },
})

/** Moves a PIX key to another status: `applied`, or refused as `stale` or `missing`. */
export const transitionPixKey =
  (client: RedisClient["Service"]) =>
  ({ pixKey, to, verifiedAt }: PixKeyTransition) => {
    const { id, sellerId, mode, status: from } = pixKey
    const tag = keys.tagOf(sellerId)
    const call = callFunction(
      client,
      declaration,
      {
        pix_key: keys.pixKeyKey(id),
        values: keys.pixKeyValuesKey(pixKey),
        old_index: keys.pixKeysKey(sellerId, mode, from),
        new_index: keys.pixKeysKey(sellerId, mode, to),
        old_partition_index: keys.partitionPixKeysKey(tag, mode, from),
        new_partition_index: keys.partitionPixKeysKey(tag, mode, to),
      },
      {
        pix_key_id: id,
        expected_version: pixKey.version,
        old_status: from,
        new_status: to,
        verified_at: verifiedAt ?? "",
        is_over: to === "refused" || to === "removed" ? "1" : "0",
      },
    )
    return Effect.flatMap(
      call,
      readKind(declaration, { applied: "applied", stale: "stale", missing: "missing" }),
    )
  }
