import { Effect } from "effect"
import { modes } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["seller", "sellers", "...key_records"],
  args: ["seller_id"],
})

/** Deletes a seller just created whose user could not be. */
export const discardSeller =
  (client: RedisClient["Service"]) => (sellerId: string, keyHashes: ReadonlyArray<string>) => {
    const partition = keys.partitionOf(sellerId)
    const call = callFunction(
      client,
      declaration,
      {
        seller: keys.sellerKey(sellerId),
        sellers: keys.sellersKey(partition),
        key_records: [
          ...modes.map((mode) => keys.apiKeysKey(sellerId, mode)),
          ...keyHashes.map((hash) => keys.apiKeyKey(partition, hash)),
        ],
      },
      { seller_id: sellerId },
    )
    return Effect.asVoid(call)
  }
