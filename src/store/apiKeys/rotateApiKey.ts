import { Effect } from "effect"
import type { NewApiKey } from "../../../actors/ports/sellerStore.ts"
import { revokeTimerName } from "../../../actors/values/revokeTimer.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"
import { keyArguments } from "./createApiKey.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["keys_of_mode", "api_key", "timers", "seller"],
  args: [
    "seller_id",
    "old_key_id",
    "grace_millis",
    "api_key_prefix",
    "key_id",
    "mode",
    "name",
    "shown_prefix",
    "created_at",
    "key_hash",
    "timer_name",
    "wake_channel",
  ],
  audited: { replies: ["rotated"], id: "old_key_id" },
})

type Rotation =
  | { readonly kind: "rotated"; readonly revokeAtMillis: number }
  | { readonly kind: "missing" | "sellerNotAllowed" | "scheduled" }

/** Replaces an API key: `rotated`, or refused as `missing`, `sellerNotAllowed` or `scheduled` (already being revoked). */
export const rotateApiKey =
  (client: RedisClient["Service"]) => (sellerId: string, oldKeyId: string, key: NewApiKey) => {
    const partition = keys.partitionOf(sellerId)
    const tag = keys.partitionTag(partition)
    const call = callFunction(
      client,
      declaration,
      {
        keys_of_mode: keys.apiKeysKey(sellerId, key.mode),
        api_key: keys.apiKeyKey(partition, key.keyHash),
        timers: keys.timersKey(tag),
        seller: keys.sellerKey(sellerId),
      },
      {
        seller_id: sellerId,
        old_key_id: oldKeyId,
        grace_millis: limits.rotationGraceMillis,
        api_key_prefix: keys.apiKeyKey(partition, ""),
        ...keyArguments(key),
        timer_name: revokeTimerName(sellerId, key.mode),
        wake_channel: keys.wakeChannel(tag),
      },
    )
    return Effect.flatMap(call, (reply): Effect.Effect<Rotation, StoreUnavailable> => {
      const [kind, revokeAt] = words(reply)
      if (kind === "rotated") return Effect.succeed({ kind, revokeAtMillis: Number(revokeAt) })
      if (kind === "missing" || kind === "scheduled") return Effect.succeed({ kind })
      if (kind === "seller_not_allowed") return Effect.succeed({ kind: "sellerNotAllowed" })
      return Effect.fail(unexpectedReply(declaration, reply))
    })
  }
