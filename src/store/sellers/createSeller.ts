import { Effect } from "effect"
import type { NewApiKey, PostbackSecret, StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { nameTermsOf } from "../../../actors/values/sellerLookups.ts"
import { modes } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import { changeableFields, postbackFields } from "./sellerHash.ts"
import { foundByOf } from "./sellerIndex.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["seller", "sellers", "...modes_then_api_keys"],
  args: ["seller_id", "fields_count", "modes_count", "...fields_then_api_keys"],
})

/** Creates a seller with its API keys and postback secret: `created`, or refused as `exists`. */
export const createSeller =
  (client: RedisClient["Service"]) =>
  (
    seller: StoredSeller,
    apiKeys: ReadonlyArray<NewApiKey>,
    postback: PostbackSecret | undefined,
    documentTerm?: string,
  ) => {
    const partition = keys.partitionOf(seller.id)
    const fields = [
      ...["user", seller.userId, "version", seller.version, "created_at", seller.createdAt],
      ...changeableFields(seller),
      ...["found_by", foundByOf(nameTermsOf(seller), documentTerm)],
      ...(postback === undefined ? [] : postbackFields(postback)),
    ]
    const call = callFunction(
      client,
      declaration,
      {
        seller: keys.sellerKey(seller.id),
        sellers: keys.sellersKey(partition),
        modes_then_api_keys: [
          ...modes.map((mode) => keys.apiKeysKey(seller.id, mode)),
          ...apiKeys.map((key) => keys.apiKeyKey(partition, key.keyHash)),
        ],
      },
      {
        seller_id: seller.id,
        fields_count: fields.length,
        modes_count: modes.length,
        fields_then_api_keys: [
          ...fields,
          ...apiKeys.flatMap((key) => [
            ...[key.id, key.mode, key.name, key.keyPrefix, key.createdAt],
            ...[key.keyHash, modes.indexOf(key.mode)],
          ]),
        ],
      },
    )
    return Effect.flatMap(call, readKind(declaration, { created: "created", exists: "exists" }))
  }
