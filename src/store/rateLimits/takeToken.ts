import { Effect } from "effect"
import type { Bucket, Quota } from "../../../actors/ports/rateLimiter.ts"
import type { StoreUnavailable } from "../../../actors/ports/store.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

/** functions/take_token.lua */
export const takeToken =
  (client: RedisClient["Service"]) =>
  (bucket: Bucket): Effect.Effect<Quota, StoreUnavailable> =>
    Effect.map(
      callFunction(
        client,
        "take_token",
        [keys.rateKey(bucket.partition, bucket.name)],
        [bucket.capacity, bucket.windowMillis],
      ),
      (reply) => {
        const [taken, remaining, nextInMillis, fullInMillis] = words(reply).map(Number)
        return {
          isTaken: taken === 1,
          remaining: remaining ?? 0,
          nextInMillis: nextInMillis ?? 0,
          fullInMillis: fullInMillis ?? 0,
        }
      },
    )
