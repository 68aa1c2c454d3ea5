import { Effect } from "effect"
import type { Feed } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import { emailDigest } from "../series/chargeLookup.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["hash", "erasing"],
  args: ["field", "expected", "replacement", "charge", "lookup_digest?"],
})

/** A text of a hash, and what takes its place. */
export interface TextErasure {
  readonly hash: string
  readonly field: "document" | "detail"
  readonly expected: string
  readonly replacement: string
  /** The charge to note as being erased. */
  readonly chargeId?: string
}

/** Replaces a text of a hash: `erased`, or refused as `stale` if it is no longer as expected. */
export const eraseText = (client: RedisClient["Service"]) => (feed: Feed, erasure: TextErasure) =>
  Effect.flatMap(
    callFunction(
      client,
      declaration,
      { hash: keys.keyWithin(keys.tagOf(feed.sellerId), erasure.hash), erasing: keys.erasingKey(feed) },
      {
        field: erasure.field,
        expected: erasure.expected,
        replacement: erasure.replacement,
        charge: erasure.chargeId ?? "",
        ...(erasure.chargeId === undefined ? {} : { lookup_digest: emailDigest(erasure.expected) }),
      },
    ),
    readKind(declaration, { erased: "erased", stale: "stale" }),
  )
