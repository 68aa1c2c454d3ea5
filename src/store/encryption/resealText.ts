import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["hash"],
  args: ["field", "expected", "replacement", "counts", "sellers_channel?", "seller_id?"],
})

/** A ciphertext of a hash, and what takes its place. */
export interface ResealedText {
  readonly hash: string
  readonly field: string
  readonly expected: string
  readonly replacement: string
  /** Whether changes of the text are decided on the hash's `version`. */
  readonly isVersioned: boolean
  /** The seller that the hash is, of which all processes are told. */
  readonly sellerId?: string
}

/** Replaces a ciphertext in a text of a hash: `resealed`, or refused as `stale` where it is no longer there. */
export const resealText = (client: RedisClient["Service"]) => (text: ResealedText) =>
  Effect.flatMap(
    callFunction(
      client,
      declaration,
      { hash: text.hash },
      {
        field: text.field,
        expected: text.expected,
        replacement: text.replacement,
        counts: text.isVersioned ? "1" : "0",
        ...(text.sellerId === undefined
          ? {}
          : { sellers_channel: keys.sellersChannel, seller_id: text.sellerId }),
      },
    ),
    readKind(declaration, { resealed: "resealed", stale: "stale" }),
  )
