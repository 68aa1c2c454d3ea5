import { Effect, Layer } from "effect"
import { Retention } from "../../../actors/ports/retention.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { StoreOptions } from "../storeOptions.ts"
import { trimSellers } from "./trimSellers.ts"
import { trimTest } from "./trimTest.ts"

/** Retention of feeds, indexes and test data on Redis. */
export const RetentionLive = Layer.effect(
  Retention,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions
    return Retention.of({
      trim: trimSellers(client, options),
      trimTest: trimTest(client, options),
    })
  }),
)
