import { Effect, Layer } from "effect"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { takeToken } from "./takeToken.ts"

/** Token buckets on Redis. */
export const RateLimiterLive = Layer.effect(
  RateLimiter,
  Effect.map(RedisClient, (client) => RateLimiter.of({ take: takeToken(client) })),
)
