import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import * as keys from "../../src/store/keys.ts"
import { durabilityProblem } from "../../src/store/redis/durability.ts"
import "../../src/store/redisStore.ts"
import { holdLease } from "../../src/store/partitions.ts"
import { ensureLibrary, isLibraryLoaded } from "../../src/store/redis/functionLibrary.ts"
import { makeRedisClient, type RedisClient } from "../../src/store/redis/redisClient.ts"
import { type Signal, Subscriber, SubscriberLive } from "../../src/store/redis/subscriber.ts"
import { startTestRedis } from "../support/redis.ts"
import { startTestCluster, type TestCluster } from "../support/redisCluster.ts"
import type { RedisNode } from "../support/redisNode.ts"
import { until } from "../support/until.ts"

let cluster: TestCluster
beforeAll(async () => {
  cluster = await startTestCluster({ appendfsync: "no" })
})
afterAll(() => cluster?.stop())

const withClient = <A, E>(
  run: (client: RedisClient["Service"]) => Effect.Effect<A, E, Scope.Scope>,
): Effect.Effect<A, unknown> => Effect.scoped(Effect.flatMap(makeRedisClient(cluster.url, "test"), run))

const wait = (what: string, holds: () => boolean | Promise<boolean>) =>
  Effect.promise(() => until(what, holds))

/** A key's slot, its primary, and another primary. */
const placeOf = (key: string) =>
  Effect.promise(async () => {
    const from = await cluster.primaryOf(key)
    const [to] = cluster.nodes.filter((node) => node !== from)
    if (to === undefined) throw new Error("there is only one node")
    return { slot: Number(await from.call("CLUSTER", "KEYSLOT", key)), from, to }
  })

/** Sets the state of a slot on the given nodes. */
const setSlot = (slot: number, words: ReadonlyArray<string>, ...nodes: ReadonlyArray<RedisNode>) =>
  Effect.promise(async () => {
    for (const node of nodes) await node.call("CLUSTER", "SETSLOT", slot, ...words)
  })

const idOf = (node: RedisNode) => Effect.promise(async () => String(await node.call("CLUSTER", "MYID")))

describe("a client of a cluster", () => {
  it.live("a cluster client sends each command to the primary of its key", () =>
    withClient((client) =>
      Effect.gen(function* () {
        const names = Array.from({ length: 64 }, (_, partition) => keys.ownerKey(partition))
        yield* client.callAll(names.map((name, i) => ["SET", [name, i]] as const))
        const values = yield* client.callAll(names.map((name) => ["GET", [name]] as const))
        const numbers = names.map((_, i) => String(i))
        assert.deepStrictEqual(values, numbers)
        const sizes = yield* Effect.forEach(client.servers(), (server) => server.call("DBSIZE", []))
        assert.strictEqual(sizes.length, 3)
        assert.isTrue(sizes.every((size) => Number(size) > 0))
      }),
    ),
  )

  it.live("a cluster client follows a slot that is moving and one that has moved", () =>
    withClient((client) =>
      Effect.gen(function* () {
        const key = "moving:{one}"
        const { slot, from, to } = yield* placeOf(key)
        const [fromId, toId] = [yield* idOf(from), yield* idOf(to)]
        yield* setSlot(slot, ["IMPORTING", fromId], to)
        yield* setSlot(slot, ["MIGRATING", toId], from)
        assert.strictEqual(yield* client.call("SET", [key, "asked"]), "OK")
        const left = yield* Effect.promise(() => from.call("CLUSTER", "COUNTKEYSINSLOT", slot))
        assert.strictEqual(left, 0)
        assert.strictEqual(client.breaks(), 0)
        yield* setSlot(slot, ["NODE", toId], to, from)
        assert.strictEqual(yield* client.call("GET", [key]), "asked")
        assert.isAbove(client.breaks(), 0)
        assert.strictEqual(yield* client.call("SET", [key, "moved"]), "OK")
        assert.strictEqual(yield* client.call("GET", [key]), "moved")
      }),
    ),
  )

  it.live("a function is not begun in a slot that migrates, at either node, and leaves nothing behind", () =>
    withClient((client) =>
      Effect.gen(function* () {
        yield* ensureLibrary(client)
        const key = keys.ownerKey(70)
        const { slot, from, to } = yield* placeOf(key)
        const [fromId, toId] = [yield* idOf(from), yield* idOf(to)]
        assert.isTrue(yield* holdLease(client, key, "test", 60_000))
        yield* setSlot(slot, ["IMPORTING", fromId], to)
        yield* setSlot(slot, ["MIGRATING", toId], from)
        const refusals = [yield* Effect.flip(holdLease(client, key, "test", 60_000))]
        yield* Effect.promise(() => from.call("MIGRATE", "127.0.0.1", to.port, key, 0, 5_000))
        refusals.push(yield* Effect.flip(holdLease(client, key, "test", 60_000)))
        assert.deepStrictEqual(
          refusals.map(({ isMoving, reason }) => [isMoving, /^\w+/.exec(reason)?.[0]]),
          [
            [true, "TRYAGAIN"],
            [true, "ASK"],
          ],
        )
        assert.strictEqual(yield* client.call("GET", [key]), "test")
        yield* setSlot(slot, ["NODE", toId], to, from)
        assert.isTrue(yield* holdLease(client, key, "test", 60_000))
      }),
    ),
  )

  it.live("a cluster client refuses a command without a key, and lists the primaries to send it to", () =>
    withClient((client) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(client.call("TIME", []))
        assert.match(error.reason, /has no key/)
        const addresses = client.servers().map(({ address }) => address)
        assert.sameMembers(
          [...addresses],
          cluster.nodes.map(({ address }) => address),
        )
      }),
    ),
  )

  it.live("a cluster client fails a refused command with the server's reason", () =>
    withClient((client) =>
      Effect.gen(function* () {
        yield* client.call("SET", ["a-string", "1"])
        const refused = yield* Effect.flip(client.call("HGETALL", ["a-string"]))
        assert.match(refused.reason, /WRONGTYPE/)
      }),
    ),
  )

  it.live("a cluster client loads the library on every primary, and again on one that lost it", () =>
    withClient((client) =>
      Effect.gen(function* () {
        yield* ensureLibrary(client)
        const key = keys.ownerKey(77)
        const { from } = yield* placeOf(key)
        yield* Effect.promise(() => from.call("FUNCTION", "FLUSH"))
        assert.isFalse(yield* isLibraryLoaded(client))
        assert.isTrue(yield* holdLease(client, key, "library", 1_000))
        assert.isTrue(yield* isLibraryLoaded(client))
      }),
    ),
  )

  it.live("the durability check names each primary whose settings may lose acknowledged writes", () =>
    withClient((client) =>
      Effect.gen(function* () {
        const problem = String(yield* durabilityProblem(client))
        for (const { address } of cluster.nodes) {
          assert.include(problem, `on ${address} appendfsync is no, set it to always`)
        }
      }),
    ),
  )
})

describe("the form of REDIS_URL", () => {
  const failureOf = (url: string) => Effect.scoped(Effect.flip(makeRedisClient(url, "test")))

  it.live("a wrong form of REDIS_URL, or one where nothing answers, fails with what to do", () =>
    Effect.gen(function* () {
      const node = cluster.nodes[0]?.address
      assert.match(
        (yield* failureOf(`redis://${node}`)).reason,
        /is a node of a cluster. Use redis\+cluster:/,
      )
      const single = yield* Effect.promise(() => startTestRedis({ appendfsync: "no" }))
      yield* Effect.addFinalizer(() => Effect.promise(single.stop))
      const { reason } = yield* failureOf(`redis+cluster://u:pw@127.0.0.1:${single.port}`)
      assert.notInclude(reason, "pw@")
      const none = yield* failureOf(`redis+cluster://127.0.0.1:${single.port}`)
      assert.match(none.reason, /is not a cluster. Use redis:/)
      yield* Effect.promise(single.kill9)
      for (const form of [
        `redis+cluster://127.0.0.1:${single.port}`,
        `redis+sentinel://127.0.0.1:${single.port}/m`,
      ]) {
        const nobody = yield* failureOf(form)
        assert.match(nobody.reason, /^No Redis answers at redis\+.*(ECONNREFUSED|Connection is closed)/)
      }
    }).pipe(Effect.scoped),
  )
})

// Last, because it kills a node.
describe("a subscriber of a cluster", () => {
  it.live("a cluster subscriber hears what is published at any node, also after its own node has died", () =>
    Effect.gen(function* () {
      const subscriber = yield* Subscriber
      const signals: Array<Signal> = []
      yield* subscriber.listen((signal) => signals.push(signal))
      yield* subscriber.subscribe(["hint:test"])
      const heard = (message: string) =>
        signals.some((signal) => signal.kind === "message" && signal.message === message)
      for (const [i, node] of cluster.nodes.entries()) {
        yield* Effect.promise(() => node.call("PUBLISH", "hint:test", `from ${i}`))
        yield* wait("a message", () => heard(`from ${i}`))
      }
      const listeners = yield* Effect.promise(() =>
        Promise.all(cluster.nodes.map((node) => node.call("PUBSUB", "NUMSUB", "hint:test"))),
      )
      const own = cluster.nodes[listeners.findIndex((counts) => (counts as ReadonlyArray<unknown>)[1] === 1)]
      yield* Effect.promise(async () => own?.kill9())
      yield* wait("the subscription to be restored", () => signals.some(({ kind }) => kind === "restored"))
      const [other] = cluster.nodes.filter((node) => node !== own)
      yield* Effect.promise(async () => other?.call("PUBLISH", "hint:test", "after"))
      yield* wait("a message afterwards", () => heard("after"))
    }).pipe(
      Effect.provide(Layer.fresh(Layer.unwrap(Effect.sync(() => SubscriberLive(cluster.url))))),
      Effect.scoped,
    ),
  )
})
