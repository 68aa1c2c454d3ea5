import { Effect, Layer } from "effect"
import { destinationIdOfTracker } from "../../../actors/delivery/destinationId.ts"
import { SellerRecords } from "../../../actors/ports/sellerRecords.ts"
import type { Mode } from "../../../schema/ids.ts"
import { deleteTracker } from "../endpoints/deleteTracker.ts"
import { putTracker } from "../endpoints/putTracker.ts"
import * as keys from "../keys.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { StoreOptions } from "../storeOptions.ts"
import { rotatePostbackSecret } from "./rotatePostbackSecret.ts"
import { listSellers } from "./sellerList.ts"
import { updateSeller } from "./updateSeller.ts"

/** Changes of sellers, postback secrets and trackers on Redis. */
export const SellerRecordsLive = Layer.effect(
  SellerRecords,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions

    const postbackSecret = Effect.fnUntraced(function* (sellerId: string) {
      const reply = yield* client.call("HMGET", [
        keys.sellerKey(sellerId),
        ...["postback_secret", "postback_secret_prefix", "postback_rotated_at", "created_at"],
      ])
      const [secret, prefix, rotatedAt, createdAt] = reply as ReadonlyArray<string | null>
      if (!secret) return undefined
      return { secret, prefix: prefix ?? "", rotatedAt: rotatedAt ?? createdAt ?? "" }
    })

    const tracker = Effect.fnUntraced(function* (sellerId: string, mode: Mode) {
      const id = destinationIdOfTracker(sellerId, mode)
      const reply = yield* client.call("HMGET", [
        keys.destinationKey(id),
        ...["enabled", "url", "headers", "created_at"],
      ])
      const [enabled, url, headers, createdAt] = reply as ReadonlyArray<string | null>
      if (enabled !== "1") return undefined
      return { id, sellerId, mode, url: url ?? "", headers: headers ?? "", createdAt: createdAt ?? "" }
    })

    return SellerRecords.of({
      update: updateSeller(client, options),
      list: listSellers(client, options.partitions),
      postbackSecret,
      rotatePostbackSecret: rotatePostbackSecret(client),
      tracker,
      putTracker: putTracker(client),
      deleteTracker: deleteTracker(client),
    })
  }),
)
