import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { FeedHub } from "../../src/feed/hub.ts"
import { Readiness } from "../../src/http/readiness.ts"
import { LoadLive } from "../../src/load/load.ts"
import { ReadinessLive, readyCachedMillis } from "../../src/readiness.ts"
import { Scheduler } from "../../src/scheduler/scheduler.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import "../../src/store/redisStore.ts"

/** The checks of a process whose Redis has these servers; neither a gate of payouts nor an acquirer is there to ask. */
const readinessWith = (servers: RedisClient["Service"]["servers"]) =>
  ReadinessLive.pipe(
    Layer.provide([
      Layer.mock(RedisClient, { isCluster: false, servers, breaks: () => 0, awaitReplicas: undefined }),
      Layer.mock(Scheduler, { partitionsHeld: () => 1, lagMillis: () => 0 }),
      Layer.mock(FeedHub, { isServing: Effect.succeed(true) }),
      LoadLive(500),
    ]),
  )

describe("/ready and the freeze", () => {
  it.effect(
    "a freeze is no part of /ready: its checks ask neither for exceptions nor for the acquirer's books",
    () =>
      Effect.gen(function* () {
        const { checks } = yield* Readiness
        const names = Object.keys(yield* checks)
        const serving = ["redis", "durability", "replicas", "functions", "streams", "scheduler", "load"]
        assert.deepStrictEqual(names, serving)
      }).pipe(Effect.provide(readinessWith(() => []))),
  )

  it.effect("probes of one tenth of a second share one look at Redis, and the next one looks again", () => {
    let looks = 0
    const servers = () => {
      looks += 1
      return []
    }
    return Effect.gen(function* () {
      const { checks } = yield* Readiness
      yield* Effect.all([checks, checks], { concurrency: 2 })
      const once = looks
      yield* TestClock.adjust(readyCachedMillis - 1)
      yield* checks
      assert.deepStrictEqual([once > 0, looks], [true, once])
      yield* TestClock.adjust(1)
      yield* checks
      assert.strictEqual(looks, 2 * once)
    }).pipe(Effect.provide(readinessWith(servers)))
  })
})
