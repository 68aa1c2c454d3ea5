import { Effect } from "effect"
import type { PixKeyTransition } from "../../../actors/ports/pixKeyStore.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** functions/transition_pix_key.lua */
export const transitionPixKey =
  (client: RedisClient["Service"]) =>
  ({ pixKey, to, verifiedAt }: PixKeyTransition) => {
    const { id, sellerId, mode, status: from } = pixKey
    const tag = keys.tagOf(sellerId)
    const call = callFunction(
      client,
      "transition_pix_key",
      [
        ...[keys.pixKeyKey(id), keys.pixKeyValuesKey(pixKey)],
        ...[keys.pixKeysKey(sellerId, mode, from), keys.pixKeysKey(sellerId, mode, to)],
        ...[keys.partitionPixKeysKey(tag, mode, from), keys.partitionPixKeysKey(tag, mode, to)],
      ],
      [...[id, pixKey.version, from, to, verifiedAt ?? ""], to === "refused" || to === "removed" ? "1" : "0"],
    )
    return Effect.flatMap(
      call,
      readKind("transition_pix_key", { applied: "applied", stale: "stale", missing: "missing" }),
    )
  }
