import { Effect, Layer } from "effect"
import { RateLimiter } from "../../actors/ports/rateLimiter.ts"
import { takeToken } from "./commands/takeToken.ts"
import { RedisClient } from "./redisClient.ts"

/** Token buckets on Redis. */
export const RateLimiterLive = Layer.effect(
  RateLimiter,
  Effect.map(RedisClient, (client) => RateLimiter.of({ take: takeToken(client) })),
)
