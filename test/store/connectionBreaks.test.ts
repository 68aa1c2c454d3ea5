import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeRedisClient } from "../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { until } from "../support/until.ts"

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server?.stop())

describe("a client's count of broken connections", () => {
  it.live("a break is counted before the next command can be answered", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const client = yield* makeRedisClient(server.url, "test")
        yield* client.call("SET", ["a", "1"])
        assert.strictEqual(client.breaks(), 0)
        yield* Effect.promise(() => server.kill9())
        yield* Effect.promise(() => server.restart())
        let breaks = 0
        yield* Effect.promise(() =>
          until("Redis to answer", () =>
            Effect.runPromise(
              Effect.match(client.call("GET", ["a"]), {
                onFailure: () => false,
                onSuccess: () => {
                  breaks = client.breaks()
                  return true
                },
              }),
            ),
          ),
        )
        assert.isAbove(breaks, 0)
        yield* client.call("GET", ["a"])
        assert.strictEqual(client.breaks(), breaks)
      }),
    ),
  )
})
