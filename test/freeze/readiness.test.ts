import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FeedHub } from "../../src/feed/hub.ts"
import { Readiness } from "../../src/http/readiness.ts"
import { LoadLive } from "../../src/load/load.ts"
import { ReadinessLive } from "../../src/readiness.ts"
import { Scheduler } from "../../src/scheduler/scheduler.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import "../../src/store/redisStore.ts"

describe("/ready and the freeze", () => {
  it.effect(
    "a freeze is no part of /ready: its checks ask neither for exceptions nor for the acquirer's books",
    () =>
      Effect.gen(function* () {
        const { checks } = yield* Readiness
        const names = Object.keys(yield* checks)
        const serving = ["redis", "durability", "functions", "streams", "scheduler", "load"]
        assert.deepStrictEqual(names, serving)
      }).pipe(
        Effect.provide(
          ReadinessLive.pipe(
            // Neither a gate of payouts nor an acquirer is there to ask.
            Layer.provide([
              Layer.mock(RedisClient, { isCluster: false, servers: () => [], breaks: () => 0 }),
              Layer.mock(Scheduler, { partitionsHeld: () => 1, lagMillis: () => 0 }),
              Layer.mock(FeedHub, { isServing: Effect.succeed(true) }),
              LoadLive(500),
            ]),
          ),
        ),
      ),
  )
})
