import { randomUUID } from "node:crypto"
import { afterAll, beforeAll } from "@effect/vitest"
import { Context, Deferred, Effect, Layer } from "effect"
import { FeedHints } from "../../actors/ports/feedHints.ts"
import { Partitions } from "../../actors/ports/partitions.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { Subscriber } from "../../src/store/redis/subscriber.ts"
import { startTestCluster, type TestCluster } from "../support/redisCluster.ts"
import { emptyRedisStore, redisCapabilities } from "./redisStage.ts"
import { storeConformance } from "./suite.ts"

let redis: TestCluster | undefined
beforeAll(async () => {
  redis = await startTestCluster({ appendfsync: "no" })
})
afterAll(() => redis?.stop())

/** Waits until everything that each primary has published so far has reached the subscriber's node, in order. */
const allHeard = Effect.gen(function* () {
  const subscriber = yield* Subscriber
  const servers = (yield* RedisClient).servers()
  const channel = randomUUID()
  const missing = new Set(servers.map(({ address }) => address))
  const heard = yield* Deferred.make<void>()
  yield* subscriber.listen((signal) => {
    if (signal.kind === "message" && signal.channel === channel) missing.delete(signal.message)
    if (missing.size === 0) Deferred.doneUnsafe(heard, Effect.void)
  })
  yield* subscriber.subscribe([channel])
  yield* Effect.forEach(servers, (server) => server.call("PUBLISH", [channel, server.address]))
  yield* Deferred.await(heard)
  yield* subscriber.unsubscribe([channel])
}).pipe(Effect.scoped)

/**
 * Messages between a cluster's nodes come late: a new watcher may hear of earlier entries, and a new listener of what earlier cases
 * woke, which cases do not expect.
 */
const FromNowOn = Layer.effectContext(
  Effect.gen(function* () {
    const [hints, partitions] = [yield* FeedHints, yield* Partitions]
    const context = yield* Effect.context<Subscriber | RedisClient>()
    const heard = Effect.provideContext(allHeard, context)
    return Context.make(
      FeedHints,
      FeedHints.of({ ...hints, watch: (feed) => Effect.andThen(hints.watch(feed), heard) }),
    ).pipe(
      Context.add(
        Partitions,
        Partitions.of({
          ...partitions,
          listen: (listener) => Effect.andThen(Effect.orDie(heard), partitions.listen(listener)),
        }),
      ),
    )
  }),
)

storeConformance<RedisClient>(
  "Redis Cluster store",
  (settings) => FromNowOn.pipe(Layer.provideMerge(emptyRedisStore(redis?.url, settings))),
  redisCapabilities,
)
