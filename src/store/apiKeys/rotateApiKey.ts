import { Effect } from "effect"
import { revokeTimerName } from "../../../actors/ports/apiKeyStore.ts"
import type { NewApiKey } from "../../../actors/ports/sellerStore.ts"
import type { StoreUnavailable } from "../../../actors/ports/store.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"
import { keyArguments } from "./createApiKey.ts"

type Rotation =
  | { readonly kind: "rotated"; readonly revokeAtMillis: number }
  | { readonly kind: "missing" | "scheduled" }

/** functions/rotate_api_key.lua */
export const rotateApiKey =
  (client: RedisClient["Service"]) => (sellerId: string, oldKeyId: string, key: NewApiKey) => {
    const partition = keys.partitionOf(sellerId)
    const tag = keys.partitionTag(partition)
    const call = callFunction(
      client,
      "rotate_api_key",
      [keys.apiKeysKey(sellerId, key.mode), keys.apiKeyKey(partition, key.keyHash), keys.timersKey(tag)],
      [
        ...[sellerId, oldKeyId, limits.rotationGraceMillis, keys.apiKeyKey(partition, "")],
        ...[...keyArguments(key), revokeTimerName(sellerId, key.mode), keys.wakeChannel(tag)],
      ],
    )
    return Effect.flatMap(call, (reply): Effect.Effect<Rotation, StoreUnavailable> => {
      const [kind, revokeAt] = words(reply)
      if (kind === "rotated") return Effect.succeed({ kind, revokeAtMillis: Number(revokeAt) })
      if (kind === "missing" || kind === "scheduled") return Effect.succeed({ kind })
      return Effect.fail(unexpectedReply("rotate_api_key", reply))
    })
  }
