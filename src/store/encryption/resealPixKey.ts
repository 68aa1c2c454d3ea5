import { Effect } from "effect"
import type { Feed } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["pix_key", "values"],
  args: ["pix_key_id", "expected", "replacement", "value_hash"],
})

/** A PIX key's ciphertext, and what takes its place together with the hash of the same value. */
export interface ResealedPixKey {
  readonly id: string
  readonly feed: Feed
  readonly expected: string
  readonly replacement: string
  readonly valueHash: string
}

/** Replaces ciphertext and hash of a PIX key's value: `resealed`, or refused as `stale` where it has changed. */
export const resealPixKey =
  (client: RedisClient["Service"]) =>
  ({ id, feed, expected, replacement, valueHash }: ResealedPixKey) =>
    Effect.flatMap(
      callFunction(
        client,
        declaration,
        { pix_key: keys.pixKeyKey(id), values: keys.pixKeyValuesKey(feed) },
        { pix_key_id: id, expected, replacement, value_hash: valueHash },
      ),
      readKind(declaration, { resealed: "resealed", stale: "stale" }),
    )
