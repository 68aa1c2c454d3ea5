import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["seller"],
  args: ["seller_id", "version", "found_by"],
})

const kinds = { indexed: "indexed", stale: "stale" } as const

/** Sets by what a seller is found: `indexed`, or refused as `stale` where it is no longer of the version it was read with. */
export const indexSeller =
  (client: RedisClient["Service"]) => (sellerId: string, version: string, foundBy: string) =>
    Effect.flatMap(
      callFunction(
        client,
        declaration,
        { seller: keys.sellerKey(sellerId) },
        { seller_id: sellerId, version, found_by: foundBy },
      ),
      readKind(declaration, kinds),
    )
