import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Retention, type TrimmedTestStep } from "../../actors/ports/retention.ts"
import { makeId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "../../src/store/keys.ts"
import { library } from "../../src/store/redis/functionLibrary.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { RedisStoreLive } from "../../src/store/redisStore.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

const dayMillis = 86_400_000
const partition = 3
const feed = {
  sellerId: makeId("sel_", 1_763_683_655_123, partition, new Uint8Array(14)),
  mode: "test" as const,
}

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => server.stop())

const options = { retentionMillis: dayMillis, testRetentionMillis: 2 * dayMillis, partitions: 64 }

/** Runs a program on an empty Redis with one seller. */
const onRedis = <A, E>(program: Effect.Effect<A, E, Retention | RedisClient>) =>
  Effect.gen(function* () {
    const client = yield* RedisClient
    yield* client.servers()[0]?.call("FLUSHALL", []) ?? Effect.void
    yield* client.call("ZADD", [keys.sellersKey(partition), 0, feed.sellerId])
    return yield* program
  }).pipe(Effect.provide(RedisStoreLive(server.url, { ...options, processId: "test data" })))

const chargeId = (number: number): string => makeId("txn_", number, partition, new Uint8Array(14))

/** Adds charges that expired three days ago, as the store writes them. */
const addCharges = Effect.fnUntraced(function* (count: number) {
  const client = yield* RedisClient
  const event = `${Date.now() - 3 * dayMillis}-0`
  const ids = Array.from({ length: count }, (_, number) => chargeId(number))
  yield* client.callAll(
    ids.flatMap((id) => [
      [
        "HSET",
        [
          ...[keys.transactionKey(id), "seller", feed.sellerId, "mode", "test", "status", "expired"],
          ...["version", "2", "document", '{"paid_at":null,"reserve":null}', "events", event],
        ],
      ] as const,
      ["ZADD", [keys.transactionsKey(feed.sellerId, "test"), 0, id]] as const,
      ["ZADD", [keys.transactionsKey(feed.sellerId, "test", "expired"), 0, id]] as const,
    ]),
  )
})

/** Adds movements of 1 centavo, three days old, of a deleted charge. */
const addEntries = Effect.fnUntraced(function* (count: number) {
  const client = yield* RedisClient
  const first = Date.now() - 3 * dayMillis
  const id = chargeId(0)
  yield* client.call("XADD", [keys.closingsKey("test"), "29991231-0", "movements", ""])
  yield* client.call("ZADD", [keys.ledgerDeletedKey(feed), Date.now(), id])
  yield* client.callAll(
    Array.from({ length: count }, (_, i) => [
      "XADD",
      [
        ...[keys.ledgerKey(feed), `${first + i}-0`, "seq", i + 1, "kind", "charge_paid"],
        ...["resource_type", "transaction", "resource", id, "event", `${first + i}-0`],
        ...["postings", "external:-1 available:1"],
        ...["balance", `available:${i + 1} reserve:0 pending_withdraw:0 pending_refund:0`],
      ],
    ]),
  )
})

const trim = Effect.gen(function* () {
  const retention = yield* Retention
  const steps: Array<TrimmedTestStep> = []
  let from: string | undefined
  do {
    const step: TrimmedTestStep = yield* retention.trimTest(partition, from)
    steps.push(step)
    from = step.next
  } while (from !== undefined)
  return steps
})

/** What the steps that deleted something deleted. */
const deletedBy = (steps: ReadonlyArray<TrimmedTestStep>, what: "resources" | "ledgerEntries") =>
  steps.map((step) => step[what]).filter((count) => count > 0)

describe("the bounds of a step that deletes test data", () => {
  it.live("a step deletes at most a page of charges, and the next one the rest", () =>
    onRedis(
      Effect.gen(function* () {
        const max = limits.trimmedTestResourcesMax
        yield* addCharges(max)
        assert.deepStrictEqual(deletedBy(yield* trim, "resources"), [max])
        yield* addCharges(max + 1)
        assert.deepStrictEqual(deletedBy(yield* trim, "resources"), [max, 1])
        const client = yield* RedisClient
        assert.deepStrictEqual(yield* client.call("KEYS", ["txn*"]), [])
      }),
    ),
  )

  it.live("a step deletes at most a page of ledger entries, and the next one the rest", () =>
    onRedis(
      Effect.gen(function* () {
        const client = yield* RedisClient
        const max = limits.trimmedTestEntriesMax
        yield* addEntries(max + 1)
        assert.deepStrictEqual(deletedBy(yield* trim, "ledgerEntries"), [max, 1])
        const names = ["entries", "available", "external", "credits"]
        const sums = yield* client.call("HMGET", [keys.ledgerBaseKey(feed), ...names])
        assert.deepStrictEqual(sums, [max + 1, max + 1, -max - 1, max + 1].map(String))
        assert.strictEqual(yield* client.call("EXISTS", [keys.ledgerDeletedKey(feed)]), 0)
      }),
    ),
  )

  it.live("where more exceptions of test mode are open than a look reads, all resources stay", () =>
    onRedis(
      Effect.gen(function* () {
        const client = yield* RedisClient
        const index = keys.exceptionsOfKindKey(keys.partitionTag(partition), "open", "payout_stuck", "test")
        const add = (from: number, count: number) =>
          client.call("ZADD", [
            index,
            ...Array.from({ length: count }, (_, i) => [0, `exc_${from + i}`]).flat(),
          ])
        const max = limits.trimmedTestExceptionsMax
        yield* add(0, max + 1)
        yield* addCharges(1)
        assert.deepStrictEqual(deletedBy(yield* trim, "resources"), [])
        yield* client.call("ZREM", [index, "exc_0"])
        assert.deepStrictEqual(deletedBy(yield* trim, "resources"), [1])
      }),
    ),
  )
})

describe("live data", () => {
  it.live("the functions that delete test data refuse a live ledger, and write nothing", () =>
    onRedis(
      Effect.gen(function* () {
        const client = yield* RedisClient
        yield* addEntries(1)
        const live = keys.ledgerKey({ ...feed, mode: "live" })
        yield* client.call("RENAME", [keys.ledgerKey(feed), live])
        const [entry] = (yield* client.call("XRANGE", [live, "-", "+"])) as ReadonlyArray<readonly [string]>
        const names = ["base", "deleted"].map((name) => `${name}:${keys.partitionTag(partition)}`)
        const change = { fields: { entry: entry?.[0] }, nextEntry: "9999999999999-0" }
        const { reason } = yield* Effect.flip(
          client.call("FCALL", [
            ...[library.registeredName("test_retention.trim_ledger"), 4],
            ...[keys.movingKeyBeside(live), live, ...names],
            JSON.stringify(change),
          ]),
        )
        assert.include(reason, "only data of test mode are deleted")
        assert.strictEqual(yield* client.call("XLEN", [live]), 1)
        assert.strictEqual(yield* client.call("EXISTS", names), 0)
      }),
    ),
  )

  it.live("a live charge stays, even if an index of test mode has its id", () =>
    onRedis(
      Effect.gen(function* () {
        const client = yield* RedisClient
        yield* addCharges(2)
        yield* client.call("HSET", [keys.transactionKey(chargeId(0)), "mode", "live"])
        assert.deepStrictEqual(deletedBy(yield* trim, "resources"), [1])
        assert.strictEqual(yield* client.call("EXISTS", [keys.transactionKey(chargeId(0))]), 1)
      }),
    ),
  )
})
