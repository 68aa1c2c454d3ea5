import { afterAll, beforeAll } from "@effect/vitest"
import type { RedisClient } from "../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { emptyRedisStore, redisCapabilities } from "./redisStage.ts"
import { storeConformance } from "./suite.ts"

let redis: TestRedis | undefined
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => redis?.stop())

storeConformance<RedisClient>(
  "Redis store",
  (settings) => emptyRedisStore(redis?.url, settings),
  redisCapabilities,
)
