import { Effect, Layer } from "effect"
import { type Bucket, type Quota, RateLimiter } from "../../actors/ports/rateLimiter.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { words } from "./redis/reply.ts"

const takeFunction = luaFunction("rate_limits.take", { keys: ["bucket"] })

/** Takes a token from a bucket; answers whether it got one, and when there will be more. */
const take =
  (client: RedisClient["Service"]) =>
  (bucket: Bucket): Effect.Effect<Quota, StoreUnavailable> =>
    Effect.map(
      callFunction(
        client,
        takeFunction,
        { bucket: keys.rateKey(bucket.partition, bucket.name) },
        { capacity: bucket.capacity, fillMillis: bucket.windowMillis },
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

/** Token buckets on Redis. */
export const RateLimiterLive = Layer.effect(
  RateLimiter,
  Effect.map(RedisClient, (client) => RateLimiter.of({ take: take(client) })),
)
