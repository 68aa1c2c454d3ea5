import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import "../../src/store/redisStore.ts"
import { pingServers } from "../../src/store/redis/durability.ts"
import { ensureLibrary, isLibraryLoaded, library } from "../../src/store/redis/functionLibrary.ts"
import { makeRedisClient } from "../../src/store/redis/redisClient.ts"
import { startTestCluster } from "../support/redisCluster.ts"
import type { RedisNode } from "../support/redisNode.ts"
import { until } from "../support/until.ts"

const testCluster = Effect.acquireRelease(
  Effect.promise(() => startTestCluster({ appendfsync: "no", withReplicas: true, losesPrimaries: true })),
  ({ stop }) => Effect.promise(stop),
)

it.live("a cluster client's commands wait for the connection to a primary that has just taken over", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const cluster = yield* testCluster
      const client = yield* makeRedisClient(cluster.url, "test")
      const key = "{taken}:over"
      const primary = yield* Effect.promise(() => cluster.primaryOf(key))
      const replica = cluster.nodes[cluster.nodes.indexOf(primary) + 3]
      if (replica === undefined) throw new Error("the primary has no replica")
      yield* client.call("SET", [key, "1"])

      // One after another, so that many are sent while the first redirected one is on its way.
      const asking = { isOver: false }
      const asker = yield* Effect.forkChild(
        Effect.gen(function* () {
          const answers: Array<Fiber.Fiber<unknown, unknown>> = []
          while (!asking.isOver) {
            answers.push(yield* Effect.forkChild(client.call("GET", [key])))
            yield* Effect.sleep(1)
          }
          return yield* Effect.forEach(answers, Fiber.join)
        }),
      )
      yield* Effect.promise(async () => {
        await replica.call("CLUSTER", "FAILOVER")
        await until("the replica to take over", async () => (await cluster.primaryOf(key)) === replica)
      })
      yield* Effect.promise(() =>
        until("the client to use the replica", () =>
          client.servers().some(({ address }) => address === replica.address),
        ),
      )
      asking.isOver = true
      const answers = yield* Fiber.join(asker)
      assert.deepStrictEqual([...new Set(answers)], ["1"])
    }),
  ),
)

it.live("a cluster client checks the current primaries, not those at its start", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const cluster = yield* testCluster
      const client = yield* makeRedisClient(cluster.url, "test")
      yield* ensureLibrary(client)
      const hasLibrary = async (node: RedisNode) =>
        String(await node.call("FUNCTION", "LIST")).includes(library.name)
      for (const node of cluster.nodes) {
        yield* Effect.promise(() => until("replicas to have the library too", () => hasLibrary(node)))
      }
      const ping = pingServers(client)
      yield* ping
      const primary = yield* Effect.promise(() => cluster.primaryOf("{taken}:over"))

      yield* Effect.promise(() => primary.kill9())
      yield* Effect.promise(() =>
        until("the client to use the replica", async () =>
          Effect.runPromise(
            Effect.map(Effect.exit(client.call("GET", ["{taken}:over"])), (exit) => exit._tag === "Success"),
          ),
        ),
      )
      yield* ping
      assert.isTrue(yield* isLibraryLoaded(client))
    }),
  ),
)
