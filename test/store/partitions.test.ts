import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Partitions } from "../../actors/ports/partitions.ts"
import { countDue } from "../../src/store/partitions.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { RedisStoreLive } from "../../src/store/redisStore.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => redis?.stop())

const store = () =>
  RedisStoreLive(redis.url, { retentionMillis: 86_400_000, partitions: 64, processId: "quiet" })

/** How often the library's functions of that kind were called until now; Redis forgets the names of functions, not their count. */
const called = Effect.gen(function* () {
  const client = yield* RedisClient
  const stats = String(yield* client.call("INFO", ["commandstats"]))
  return Number(/^cmdstat_fcall:calls=(\d+)/m.exec(stats)?.[1] ?? 0)
})

describe("the partitions of one server", () => {
  it.live("a process keeps 64 partitions, and looks at them, by one call each", () =>
    Effect.gen(function* () {
      const partitions = yield* Partitions
      const held = yield* partitions.rebalance
      assert.strictEqual(held.size, 64)
      const calls: Array<number> = []
      for (let round = 0; round < 5; round++) {
        const before = yield* called
        assert.strictEqual((yield* partitions.rebalance).size, 64)
        const found = yield* Effect.all(partitions.nextDue([...held]))
        assert.strictEqual(found.flat().length, 64)
        calls.push((yield* called) - before)
      }
      // A heartbeat may fall into a round.
      assert.strictEqual(Math.min(...calls), 2)
      assert.isAtMost(Math.max(...calls), 4)
    }).pipe(Effect.provide(store()), Effect.scoped),
  )

  it.live("counting what is due leaves out what has yet to come, and says how long the first has been", () =>
    Effect.gen(function* () {
      const client = yield* RedisClient
      const [seconds] = (yield* client.call("TIME", [])) as ReadonlyArray<string>
      const nowMillis = Number(seconds) * 1_000
      yield* client.call("ZADD", [
        "timed",
        nowMillis - 5_000,
        "b",
        nowMillis - 7_000,
        "a",
        nowMillis + 60_000,
        "c",
      ])
      yield* client.call("ZADD", ["ahead", nowMillis + 60_000, "c"])
      yield* client.call("ZADD", ["timeless", 0, "a", 0, "b"])
      const [timed, ahead, none, timeless] = yield* countDue(client, ["timed", "ahead", "none", "timeless"])
      assert.strictEqual(timed?.due, 2)
      assert.isAtLeast(timed?.oldestMillis ?? 0, 7_000)
      assert.isBelow(timed?.oldestMillis ?? 0, 60_000)
      assert.deepStrictEqual([ahead, none], Array(2).fill({ due: 0, oldestMillis: 0 }))
      assert.strictEqual(timeless?.due, 2)
    }).pipe(Effect.provide(store()), Effect.scoped),
  )
})
