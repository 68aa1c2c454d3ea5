import { afterAll, beforeAll } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redisClient.ts"
import { RedisStoreLive } from "../../src/store/redisStore.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { storeConformance } from "./suite.ts"

let redis: TestRedis | undefined
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => redis?.stop())

/** Empties the test's own server before the store is built on it. */
const Emptied = Layer.effectDiscard(
  Effect.gen(function* () {
    const client = yield* RedisClient
    yield* client.call("FLUSHALL", [])
  }),
)

storeConformance<RedisClient>(
  "Redis store",
  ({ eventRetentionMillis, partitions }) =>
    Layer.unwrap(
      Effect.sync(() => {
        if (redis === undefined) throw new Error("the test's Redis did not start")
        const store = RedisStoreLive(redis.url, {
          retentionMillis: eventRetentionMillis,
          partitions,
          processId: "conformance",
        })
        return Emptied.pipe(Layer.provideMerge(store))
      }),
    ),
  {
    revokeKey: (principal) =>
      Effect.gen(function* () {
        const client = yield* RedisClient
        const record = keys.apiKeyKey(keys.partitionOf(principal.sellerId), principal.keyHash)
        yield* client.call("HSET", [record, "revoke_at", "1"])
      }),
    deleteEndpoint: (id) =>
      Effect.gen(function* () {
        const client = yield* RedisClient
        const record = yield* client.call("HMGET", [keys.destinationKey(id), "seller", "mode"])
        const [sellerId = "", mode] = record as ReadonlyArray<string>
        const feed = { sellerId, mode: mode === "live" ? ("live" as const) : ("test" as const) }
        yield* client.call("HSET", [keys.destinationKey(id), "enabled", "0"])
        yield* client.call("ZREM", [keys.endpointsKey(feed), id])
        yield* client.call("HDEL", [keys.subscriptionsKey(feed), id])
      }),
  },
)
