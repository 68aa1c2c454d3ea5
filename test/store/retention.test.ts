import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { EndpointStore } from "../../actors/ports/endpointStore.ts"
import { Retention } from "../../actors/ports/retention.ts"
import { encodeTime, makeId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { RedisStoreLive } from "../../src/store/redisStore.ts"
import { claimOne, failedForGood, record, succeeded } from "../conformance/attempts.ts"
import { openEndpoint, openPaidCharge, openShop } from "../conformance/fixtures.ts"
import { makeStage, Stage, type StoreServices } from "../conformance/stage.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

const dayMillis = 86_400_000
const partition = 3

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => server.stop())

const onRedis = <A, E>(program: Effect.Effect<A, E, StoreServices | RedisClient>) =>
  Effect.gen(function* () {
    const [node] = (yield* RedisClient).servers()
    yield* node?.call("FLUSHALL", []) ?? Effect.void
    return yield* program
  }).pipe(
    Effect.provide(
      RedisStoreLive(server.url, { retentionMillis: dayMillis, partitions: 64, processId: "retention" }),
    ),
  )

const sellerAt = (number: number) => makeId("sel_", 1_763_683_655_123 + number, partition, new Uint8Array(14))
const feedOf = (number: number) => ({ sellerId: sellerAt(number), mode: "live" as const })

const addSeller = Effect.fnUntraced(function* (number: number) {
  yield* (yield* RedisClient).call("ZADD", [keys.sellersKey(partition), "0", sellerAt(number)])
})

/** Appends events that are that old, each in a millisecond of its own. */
const addEvents = Effect.fnUntraced(function* (number: number, count: number, ageMillis: number) {
  const client = yield* RedisClient
  const first = Date.now() - ageMillis
  yield* client.callAll(
    Array.from({ length: count }, (_, i) => [
      "XADD",
      [keys.eventsKey(feedOf(number)), `${first + i}-0`, "seq", `${i}`],
    ]),
  )
})

const lengthOf = (number: number) =>
  Effect.flatMap(RedisClient, (client) => client.call("XLEN", [keys.eventsKey(feedOf(number))]))

/** All steps of a partition's trimming. */
const trim = Effect.gen(function* () {
  const retention = yield* Retention
  const steps = [yield* retention.trim(partition, undefined)]
  for (let next = steps[0]?.next; next !== undefined; next = steps.at(-1)?.next) {
    steps.push(yield* retention.trim(partition, next))
  }
  return steps
})

/** A shop with an endpoint that has had an attempt, deleted after `owed` deliveries more. */
const deletedEndpoint = (owed: number) =>
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* openPaidCharge(live)
    yield* record(yield* claimOne(endpoint.id), succeeded)
    for (let i = 0; i < owed; i++) yield* openPaidCharge(live)
    const index = keys.attemptsKey(live.sellerId, "live", { kind: "endpoint", value: endpoint.id })
    const client = yield* RedisClient
    assert.strictEqual(yield* client.call("PTTL", [index]), -1)
    yield* (yield* EndpointStore).delete({ feed: live, endpointId: endpoint.id }, "operation")
    return { index, endpoint, leftMillis: Effect.map(client.call("PTTL", [index]), Number) }
  }).pipe(
    Effect.provide(
      Layer.effect(Stage, makeStage<never>({ eventRetentionMillis: dayMillis, partitions: 64 }, {})),
    ),
  )

describe("the index of a deleted endpoint's attempts", () => {
  it.live("the index of a deleted endpoint's attempts ends with the retention of its rows", () =>
    onRedis(
      Effect.gen(function* () {
        const { leftMillis } = yield* deletedEndpoint(0)
        const left = yield* leftMillis
        assert.isAbove(left, dayMillis - 60_000)
        assert.isAtMost(left, dayMillis)
      }),
    ),
  )

  it.live("an attempt that was still owed to a deleted endpoint extends its index, and ends with it", () =>
    onRedis(
      Effect.gen(function* () {
        const { index, endpoint, leftMillis } = yield* deletedEndpoint(1)
        const client = yield* RedisClient
        yield* client.call("PEXPIRE", [index, "60000"])
        yield* record(yield* claimOne(endpoint.id), failedForGood)
        assert.isAbove(yield* leftMillis, dayMillis - 60_000)
        assert.strictEqual(yield* client.call("ZCARD", [index]), 2)
      }),
    ),
  )
})

describe("trimming by retention", () => {
  it.live("a feed is trimmed to the millisecond, a bounded number of events a step", () =>
    onRedis(
      Effect.gen(function* () {
        yield* addSeller(1)
        yield* addEvents(1, 2_500, 2 * dayMillis)
        yield* addEvents(1, 7, dayMillis - 60_000)
        const steps = yield* trim
        assert.isAtLeast(steps.length, 3)
        for (const { events } of steps) assert.isAtMost(events, limits.trimmedEventsMax)
        assert.strictEqual(
          steps.reduce((sum, { events }) => sum + events, 0),
          2_500,
        )
        assert.strictEqual(yield* lengthOf(1), 7)
      }),
    ),
  )

  it.live("all sellers of a partition are trimmed, some a step", () =>
    onRedis(
      Effect.gen(function* () {
        const count = 2 * limits.trimmedSellersMax + 1
        for (let number = 0; number < count; number++) {
          yield* addSeller(number)
          yield* addEvents(number, 2, 2 * dayMillis)
        }
        yield* trim
        for (let number = 0; number < count; number++) assert.strictEqual(yield* lengthOf(number), 0)
      }),
    ),
  )

  it.live("indexes of attempts, also of a deleted endpoint, and postbacks lose what is past retention", () =>
    onRedis(
      Effect.gen(function* () {
        const client = yield* RedisClient
        yield* addSeller(1)
        const { sellerId, mode } = feedOf(1)
        const [kept, deleted] = ["we_kept", "we_deleted"]
        const ids = [2 * dayMillis, dayMillis / 2].map(
          (age) => `whd_${encodeTime(Date.now() - age)}030000000000000A`,
        )
        const indexes = [
          keys.attemptsKey(sellerId, mode, { kind: "status", value: "dead" }),
          keys.attemptsKey(sellerId, mode, { kind: "endpoint", value: kept }),
          keys.attemptsKey(sellerId, mode, { kind: "endpoint", value: deleted }),
        ]
        for (const index of indexes) yield* client.call("ZADD", [index, ...ids.flatMap((id) => ["0", id])])
        yield* client.call("ZADD", [keys.endpointsKey({ sellerId, mode }), "0", kept])
        const postbacks = keys.postbacksKey({ sellerId, mode })
        const longAgo = String(Date.now() - 2 * dayMillis)
        yield* client.call("ZADD", [postbacks, longAgo, "pb_old", String(Date.now()), deleted])
        yield* trim
        for (const index of indexes) {
          assert.deepStrictEqual(yield* client.call("ZRANGE", [index, "0", "-1"]), [ids[1] ?? ""])
        }
        assert.deepStrictEqual(yield* client.call("ZRANGE", [postbacks, "0", "-1"]), [deleted])
      }),
    ),
  )
})
