import { Effect } from "effect"
import type { Bucket, Quota } from "../../../actors/ports/rateLimiter.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["bucket"],
  args: ["capacity", "fill_millis"],
})

/** Takes a token from a bucket; answers whether it got one, and when there will be more. */
export const takeToken =
  (client: RedisClient["Service"]) =>
  (bucket: Bucket): Effect.Effect<Quota, StoreUnavailable> =>
    Effect.map(
      callFunction(
        client,
        declaration,
        { bucket: keys.rateKey(bucket.partition, bucket.name) },
        { capacity: bucket.capacity, fill_millis: bucket.windowMillis },
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
