import { Effect } from "effect"
import type { NewApiKey, StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"
import { readKind } from "./reply.ts"

/** functions/create_seller.lua */
export const createSeller =
  (client: RedisClient["Service"]) =>
  (seller: StoredSeller, apiKeys: ReadonlyArray<NewApiKey>, postbackSecret: string) => {
    const fields = [
      ...[
        "name",
        seller.name,
        "user",
        seller.userId,
        "status",
        seller.status,
        "kyc_status",
        seller.kycStatus,
      ],
      ...["charge_fee_bps", seller.settings.chargeFeeBps, "charge_fee_fixed", seller.settings.chargeFeeFixed],
      ...["postback_secret", postbackSecret, "created_at", seller.createdAt],
    ]
    const call = callFunction(
      client,
      "create_seller",
      [
        keys.sellerKey(seller.id),
        ...apiKeys.map((key) => keys.apiKeyKey(keys.partitionOf(seller.id), key.keyHash)),
      ],
      [
        seller.id,
        fields.length,
        ...fields,
        ...apiKeys.flatMap((key) => [key.id, key.mode, key.name, key.keyPrefix, key.createdAt]),
      ],
    )
    return Effect.flatMap(call, readKind("create_seller", { created: "created", exists: "exists" }))
  }
