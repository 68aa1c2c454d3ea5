import { Effect } from "effect"
import { modes } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

/** functions/discard_seller.lua */
export const discardSeller =
  (client: RedisClient["Service"]) => (sellerId: string, keyHashes: ReadonlyArray<string>) => {
    const partition = keys.partitionOf(sellerId)
    const call = callFunction(
      client,
      "discard_seller",
      [
        ...[keys.sellerKey(sellerId), keys.sellersKey(partition)],
        ...modes.map((mode) => keys.apiKeysKey(sellerId, mode)),
        ...keyHashes.map((hash) => keys.apiKeyKey(partition, hash)),
      ],
      [sellerId],
    )
    return Effect.asVoid(call)
  }
