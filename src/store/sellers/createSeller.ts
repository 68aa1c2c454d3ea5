import { Effect } from "effect"
import type { NewApiKey, PostbackSecret, StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { modes } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import { changeableFields, postbackFields } from "./sellerHash.ts"

/** functions/create_seller.lua */
export const createSeller =
  (client: RedisClient["Service"]) =>
  (seller: StoredSeller, apiKeys: ReadonlyArray<NewApiKey>, postback: PostbackSecret | undefined) => {
    const partition = keys.partitionOf(seller.id)
    const fields = [
      ...["user", seller.userId, "version", seller.version, "created_at", seller.createdAt],
      ...changeableFields(seller),
      ...(postback === undefined ? [] : postbackFields(postback)),
    ]
    const call = callFunction(
      client,
      "create_seller",
      [
        keys.sellerKey(seller.id),
        keys.sellersKey(partition),
        ...modes.map((mode) => keys.apiKeysKey(seller.id, mode)),
        ...apiKeys.map((key) => keys.apiKeyKey(partition, key.keyHash)),
      ],
      [
        seller.id,
        fields.length,
        ...fields,
        ...apiKeys.flatMap((key) => [
          ...[key.id, key.mode, key.name, key.keyPrefix, key.createdAt],
          ...[key.keyHash, modes.indexOf(key.mode) + 3],
        ]),
      ],
    )
    return Effect.flatMap(call, readKind("create_seller", { created: "created", exists: "exists" }))
  }
