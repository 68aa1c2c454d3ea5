import { Effect } from "effect"
import type { PostbackSecret } from "../../../actors/ports/sellerStore.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import { postbackFields } from "./sellerHash.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["seller"],
  args: ["...fields"],
  audited: { replies: ["rotated"] },
})

/** Replaces a seller's postback secret: `rotated`, or refused as `noSeller`. */
export const rotatePostbackSecret =
  (client: RedisClient["Service"]) => (sellerId: string, secret: PostbackSecret) => {
    const call = callFunction(
      client,
      declaration,
      { seller: keys.sellerKey(sellerId) },
      { fields: postbackFields(secret) },
    )
    return Effect.flatMap(call, readKind(declaration, { rotated: "rotated", no_seller: "noSeller" }))
  }
