import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { Partitions } from "../../actors/ports/partitions.ts"
import { SellerStore } from "../../actors/ports/sellerStore.ts"
import { StreamSlots } from "../../actors/ports/streamSlots.ts"
import type { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { goneEventType } from "../../actors/values/goneEvent.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { makeId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "../../src/store/keys.ts"
import { durabilityProblem } from "../../src/store/redis/durability.ts"
import { isLibraryLoaded } from "../../src/store/redis/functionLibrary.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { RedisStoreLive } from "../../src/store/redisStore.ts"
import { claimOne, recordOf, succeeded } from "../conformance/attempts.ts"
import { freshIdBeside, move, openCharge, openEndpoint, openShop, takeSlot } from "../conformance/fixtures.ts"
import { makeStage, Stage } from "../conformance/stage.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => redis?.stop())

const retentionMillis = 30 * 24 * 60 * 60 * 1000

/** Runs a program as a process of the service, which ends with it. */
const asProcess = <A, E>(
  processId: string,
  program: Effect.Effect<A, E, Stage | Provided>,
): Effect.Effect<A, unknown> =>
  Effect.gen(function* () {
    const stage = yield* makeStage({ eventRetentionMillis: retentionMillis, partitions: 64 }, {})
    return yield* Effect.provideService(program, Stage, stage)
  }).pipe(
    // Local, because layers are shared by default and each process needs its own.
    Effect.provide(RedisStoreLive(redis.url, { retentionMillis, partitions: 64, processId }), {
      local: true,
    }),
    Effect.scoped,
  ) as Effect.Effect<A, unknown>
type Provided = DeliveryQueue | Partitions | RedisClient | SellerStore | StreamSlots | TransactionStore

describe("the function library", () => {
  it.live("the function library is loaded at start, and again if the server has lost it", () =>
    asProcess(
      "library",
      Effect.gen(function* () {
        const client = yield* RedisClient
        assert.isTrue(yield* isLibraryLoaded(client))
        yield* client.call("FUNCTION", ["FLUSH"])
        assert.isFalse(yield* isLibraryLoaded(client))
        const { sellerId } = yield* openShop()
        assert.isDefined(yield* (yield* SellerStore).get(sellerId))
        assert.isTrue(yield* isLibraryLoaded(client))
      }),
    ),
  )
})

describe("a delivery whose event was trimmed", () => {
  it.live("a delivery whose event was trimmed is claimed as gone, and its retry answers expired", () =>
    asProcess(
      "trimmed",
      Effect.gen(function* () {
        const client = yield* RedisClient
        const queue = yield* DeliveryQueue
        const shop = yield* openShop()
        const endpoint = yield* openEndpoint(shop.test, ["*"])
        yield* move(yield* openCharge(shop.test), "paid")
        const [claimed] = (yield* queue.claim(endpoint.id, 1)).claimed
        assert.isDefined(claimed)
        if (claimed === undefined) return
        const deliveryId = claimed.destination.id.replace("we_", "whd_")
        yield* queue.record({
          destination: claimed.destination,
          entry: claimed.entry,
          fence: claimed.fence,
          deliveryId,
          attempt: 1,
          status: "failed",
          row: "{}",
          detail: "{}",
          retryInMillis: 0,
          disablingEvent: undefined,
        })
        yield* client.call("XTRIM", [keys.eventsKey(shop.test), "MAXLEN", 0])
        const gone = yield* claimOne(endpoint.id)
        assert.deepStrictEqual([gone.entry.type, gone.attempt], [goneEventType, 2])
        yield* queue.record(yield* recordOf(gone, { status: "dead" }))
        const answer = yield* queue.retry(shop.test, deliveryId, yield* freshIdBeside("whd_", shop.sellerId))
        assert.strictEqual(answer.kind, "expired")
      }),
    ),
  )
})

describe("the indexes of attempts", () => {
  it.live("recording one attempt in sixteen, by its id's last character, trims the attempt indexes", () =>
    asProcess(
      "indexes",
      Effect.gen(function* () {
        const client = yield* RedisClient
        const queue = yield* DeliveryQueue
        const shop = yield* openShop()
        const { sellerId, mode } = shop.test
        const endpoint = yield* openEndpoint(shop.test, ["*"])
        const indexes = [
          keys.attemptsKey(sellerId, mode, { kind: "status", value: "success" }),
          keys.attemptsKey(sellerId, mode, { kind: "endpoint", value: endpoint.id }),
        ]
        const idAt = (millis: number, last: string) =>
          makeId("whd_", millis, 0, new Uint8Array(14)).slice(0, -1) + last
        const past = idAt(Date.now() - retentionMillis - 1_000, "Z")
        const kept = idAt(Date.now() - retentionMillis + 60_000, "Z")
        for (const index of indexes) yield* client.call("ZADD", [index, 0, past, 0, kept])
        const recordAs = Effect.fnUntraced(function* (deliveryId: string) {
          yield* move(yield* openCharge(shop.test), "paid")
          const attempt = yield* recordOf(yield* claimOne(endpoint.id), succeeded)
          yield* queue.record({ ...attempt, deliveryId })
        })
        const found = Effect.forEach(indexes, (index) => client.call("ZRANGE", [index, 0, -1]))

        const without = idAt(Date.now(), "Y")
        yield* recordAs(without)
        assert.deepStrictEqual(
          yield* found,
          indexes.map(() => [past, kept, without]),
        )
        const trimming = idAt(Date.now(), "P")
        yield* recordAs(trimming)
        assert.deepStrictEqual(
          yield* found,
          indexes.map(() => [kept, without, trimming].sort()),
        )
      }),
    ),
  )
})

describe("stream slots of several processes", () => {
  const take = (principal: Principal, connectionId: string) =>
    Effect.map(takeSlot(principal, connectionId), ({ kind }) => kind)
  const fill = (principal: Principal) =>
    Effect.forEach(
      Array.from({ length: limits.streamsPerSellerMax }, (_, i) => `connection-${i}`),
      (id) => take(principal, id),
    )
  const openSlots = Effect.gen(function* () {
    const { sellerId, live } = yield* openShop()
    return { sellerId, live, client: yield* RedisClient, slots: yield* StreamSlots }
  })

  it.live("a seller's stream slots stay full while the process that holds them is alive", () =>
    asProcess(
      "holder",
      Effect.gen(function* () {
        const { live } = yield* openShop()
        yield* fill(live)
        assert.strictEqual(yield* asProcess("other", take(live, "one-more")), "full")
      }),
    ),
  )

  it.live("a stream slot that a Redis which had hung gave after its release is free", () =>
    asProcess(
      "asker",
      Effect.gen(function* () {
        const { sellerId, live, client, slots } = yield* openSlots
        yield* fill(live)
        yield* slots.release(sellerId, "connection-3")
        yield* client.call("HSET", [keys.streamsKey(sellerId), "connection-3", "asker"])
        assert.strictEqual(yield* take(live, "one-more"), "taken")
        assert.strictEqual(yield* take(live, "yet-another"), "full")
        assert.strictEqual(yield* client.call("HEXISTS", [keys.streamsKey(sellerId), "connection-3"]), 0)
      }),
    ),
  )

  it.live("stream slots of a silent process are uncertain, and those of a dead one are free", () =>
    asProcess(
      "asker",
      Effect.gen(function* () {
        const { sellerId, live, client } = yield* openSlots
        yield* asProcess("silent", fill(live))
        const silentSince = (millis: number) =>
          client.call("ZADD", [keys.processesKey, Date.now() - millis, "silent"])
        yield* silentSince(2_000)
        assert.strictEqual(yield* take(live, "one-more"), "uncertain")
        yield* silentSince(limits.partitionLeaseMillis + 1_000)
        assert.strictEqual(yield* take(live, "one-more"), "taken")
        assert.deepStrictEqual(yield* client.call("HGETALL", [keys.streamsKey(sellerId)]), [
          "one-more",
          "asker",
        ])
      }),
    ),
  )
})

describe("partitions", () => {
  it.live("live processes share partitions evenly, and take over those that one releases", () =>
    asProcess(
      "first",
      Effect.gen(function* () {
        const first = yield* Partitions
        assert.strictEqual((yield* first.rebalance).size, 64)
        yield* asProcess(
          "second",
          Effect.gen(function* () {
            const second = yield* Partitions
            // The first process sees the second at its next heartbeat, and releases half. Each may take the other for dead while a
            // busy machine keeps both from their heartbeats.
            const [afterSharing, taken] = yield* Effect.all([first.rebalance, second.rebalance]).pipe(
              Effect.andThen((held) => Effect.as(Effect.sleep(100), held)),
              Effect.repeat({ until: (held) => held.every(({ size }) => size === 32) }),
            )
            assert.isTrue([...taken].every((partition) => !afterSharing.has(partition)))
            yield* second.releaseAll
          }),
        )
        const all = yield* first.rebalance.pipe(
          Effect.andThen((held) => Effect.as(Effect.sleep(100), held)),
          Effect.repeat({ until: (held) => held.size === 64 }),
        )
        assert.strictEqual(all.size, 64)
      }),
    ),
  )

  it.live("a process short of its share takes partitions that become free among those held by others", () =>
    asProcess(
      // Sends heartbeats and holds nothing.
      "silent",
      asProcess(
        "lacking",
        Effect.gen(function* () {
          const client = yield* RedisClient
          const { rebalance } = yield* Partitions
          const held = yield* rebalance.pipe(
            Effect.andThen((now) => Effect.as(Effect.sleep(100), now)),
            Effect.repeat({ until: (now) => now.size === 32 }),
          )
          const another = (partition: number) =>
            client.call("SET", [keys.ownerKey(partition), "another", "PX", 60_000])
          const foreign = Array.from({ length: 64 }, (_, partition) => partition).filter((i) => !held.has(i))
          yield* Effect.forEach(foreign, another, { concurrency: "unbounded", discard: true })
          const [lost = 0] = held
          yield* another(lost)
          for (const free of foreign) {
            yield* client.call("DEL", [keys.ownerKey(free)])
            // Not at once where a busy machine has kept the two processes from their heartbeats.
            yield* Effect.repeat(rebalance, { until: (now) => now.has(free) })
            yield* another(free)
            yield* rebalance
          }
          yield* client.call("DEL", [...foreign, lost].map(keys.ownerKey))
        }),
      ),
    ),
  )
})

describe("durability", () => {
  it.live(
    "the durability check names Redis settings that may lose acknowledged writes, and passes safe ones",
    () =>
      asProcess(
        "durability",
        Effect.gen(function* () {
          const problem = yield* durabilityProblem(yield* RedisClient)
          assert.match(String(problem), /appendfsync is no, set it to always/)
          yield* (yield* RedisClient).call("CONFIG", ["SET", "appendfsync", "always"])
          yield* (yield* RedisClient).call("CONFIG", ["SET", "maxmemory-policy", "noeviction"])
          assert.isUndefined(yield* durabilityProblem(yield* RedisClient))
        }),
      ),
  )
})

describe("a Redis client", () => {
  it.live("a Redis client fails a refused command and names it", () =>
    asProcess(
      "refused",
      Effect.gen(function* () {
        const client = yield* RedisClient
        yield* client.call("SET", ["a-string", "1"])
        const error = yield* Effect.flip(
          client.callAll([
            ["PING", []],
            ["HGETALL", ["a-string"]],
          ]),
        )
        assert.strictEqual(error.operation, "HGETALL")
        assert.match(error.reason, /WRONGTYPE/)
      }),
    ),
  )
})
