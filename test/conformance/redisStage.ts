import { Effect, Layer } from "effect"
import * as keys from "../../src/store/keys.ts"
import { RedisClient, type RedisCommand } from "../../src/store/redis/redisClient.ts"
import { RedisStoreLive } from "../../src/store/redisStore.ts"
import type { Capabilities, StoreSettings } from "./stage.ts"

/** Empties the test's own servers before a case uses them. */
const Emptied = Layer.effectDiscard(
  Effect.gen(function* () {
    const client = yield* RedisClient
    yield* Effect.forEach(client.servers(), (server) => server.call("FLUSHALL", []))
  }),
)

const ofHeartbeats = [keys.processesKey, keys.processStreamsKey, keys.processLibrariesKey]

/** The names of all keys on all servers, except those of the heartbeats, which change by themselves. */
const keyNames = (client: RedisClient["Service"]) =>
  Effect.map(
    Effect.forEach(client.servers(), (server) => server.call("KEYS", ["*"])),
    (replies) =>
      replies
        .flat()
        .map(String)
        .filter((name) => !ofHeartbeats.includes(name)),
  )

/** Reads a whole key and its expiry. Not by DUMP: the order of a hash's fields may change between two reads. */
const readWhole = (client: RedisClient["Service"], name: string) =>
  Effect.gen(function* () {
    const type = String(yield* client.call("TYPE", [name]))
    const [value, expiry] = yield* client.callAll([
      readingOf[type] === undefined ? ["GET", [name]] : readingOf[type](name),
      ["PEXPIRETIME", [name]],
    ])
    const list = Array.isArray(value) ? value : []
    if (type === "set") return { value: list.toSorted(), expiry }
    if (type !== "hash") return { value, expiry }
    const fields = list.flatMap((field, index) => (index % 2 === 0 ? [[String(field), list[index + 1]]] : []))
    return { value: Object.fromEntries(fields), expiry }
  })

const readingOf: Readonly<Record<string, (name: string) => RedisCommand>> = {
  hash: (name) => ["HGETALL", [name]],
  zset: (name) => ["ZRANGE", [name, 0, -1, "WITHSCORES"]],
  stream: (name) => ["XRANGE", [name, "-", "+"]],
  set: (name) => ["SMEMBERS", [name]],
}

/** A fresh and empty store on the Redis at a URL. */
export const emptyRedisStore = (url: string | undefined, settings: StoreSettings) =>
  Layer.unwrap(
    Effect.sync(() => {
      if (url === undefined) throw new Error("the test's Redis did not start")
      const store = RedisStoreLive(url, {
        retentionMillis: settings.eventRetentionMillis,
        testRetentionMillis: settings.testRetentionMillis,
        partitions: settings.partitions,
        inboxBytesMax: settings.inboxBytesMax,
        processId: "conformance",
      })
      return Emptied.pipe(Layer.provideMerge(store))
    }),
  )

/** What a store on Redis lets a test do. */
export const redisCapabilities: Capabilities<RedisClient> = {
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
  contents: Effect.gen(function* () {
    const client = yield* RedisClient
    const names = yield* keyNames(client)
    const held = yield* Effect.forEach(names, (name) => readWhole(client, name))
    return Object.fromEntries(names.map((name, index) => [name, held[index]]))
  }),
  keptMillis: ({ sellerId, mode }, { route, key }) =>
    Effect.gen(function* () {
      const client = yield* RedisClient
      const left = yield* client.call("PTTL", [keys.idempotencyKey(sellerId, mode, route, key)])
      if (left === -2) return yield* Effect.die(new Error("there is no such record"))
      return left === -1 ? undefined : Number(left)
    }),
}
