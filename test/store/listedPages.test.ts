import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { sessionKeyHash } from "../../actors/values/principal.ts"
import { makeId } from "../../schema/ids.ts"
import { TransactionStoreLive } from "../../src/store/charges.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient, RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { StoreOptionsLive } from "../support/storeOptions.ts"

type Client = RedisClient["Service"]

const sellerId = makeId("sel_", 1_700_000_000_000, 0, new Uint8Array(14))
const principal = { sellerId, mode: "test", keyHash: sessionKeyHash, keyId: "usr_test" } as const
const ids = Array.from({ length: 8 }, (_, i) => makeId("txn_", 1_700_000_001_000 + i, 0, new Uint8Array(14)))
const newestFirst = ids.toReversed()

const moveTo = (client: Client, status: "paid" | "refunded", ...moved: ReadonlyArray<string>) =>
  client.callAll(
    moved.flatMap((id) => [
      ["ZREM", [keys.transactionsKey(sellerId, "test", "paid"), id]] as const,
      ["ZADD", [keys.transactionsKey(sellerId, "test", status), 0, id]] as const,
      [
        "HSET",
        [
          keys.transactionKey(id),
          ...["seller", sellerId, "mode", "test", "status", status, "version", "1", "document", "{}"],
        ],
      ] as const,
    ]),
  )

/** A client that runs `change` before each read of charges, so between a list's index and its charges. */
const changing = (client: Client, change: () => Effect.Effect<unknown, unknown>): Client => ({
  ...client,
  callAll: (commands) =>
    commands[0]?.[0] === "HMGET" && commands.every(([command]) => command === "HMGET")
      ? Effect.andThen(Effect.orDie(change()), client.callAll(commands))
      : client.callAll(commands),
})

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => server.stop())

/** Lists three paid charges of eight, while `change` is called as {@link changing} says. */
const listPaid = (change: (client: Client) => () => Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    const client = yield* RedisClient
    yield* moveTo(client, "paid", ...ids)
    const store = TransactionStoreLive.pipe(
      Layer.provide([Layer.succeed(RedisClient, changing(client, change(client))), StoreOptionsLive]),
    )
    const window = { fromMillis: undefined, toMillis: undefined, beforeId: undefined }
    const { list } = yield* Effect.provide(TransactionStore, store)
    const found = yield* list(principal, { status: "paid", ...window, limit: 3 })
    return Array.isArray(found) ? found.map(({ id, status }) => ({ id, status })) : []
  }).pipe((program) => Effect.provide(program, RedisClientLive(server.url)))

describe("a list of charges by status", () => {
  it.live("is whole and has that status alone where a charge leaves it while the page is read", () =>
    Effect.gen(function* () {
      const [left, ...others] = newestFirst
      const found = yield* listPaid((client) => () => moveTo(client, "refunded", left ?? ""))
      expect(found).toEqual(others.slice(0, 3).map((id) => ({ id, status: "paid" })))
    }),
  )

  it.live("is answered where a charge leaves it at every read", () =>
    Effect.gen(function* () {
      const leaving = newestFirst.values()
      const found = yield* listPaid((client) => () => moveTo(client, "refunded", leaving.next().value ?? ""))
      expect(found.map(({ status }) => status)).toEqual(["refunded", "paid", "paid"])
    }),
  )
})
