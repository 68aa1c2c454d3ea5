import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import "../../src/store/redisStore.ts"
import { callParameters, ensureLibrary } from "../../src/store/redis/functionLibrary.ts"
import { RedisClient, RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => server.stop())

const key = (name: string) => `{p00}:${name}`
const keysOf = (count: number) => Array.from({ length: count }, (_, i) => key(`k${i + 1}`))

/** A stored charge, and the arguments of its payment up to what moves and is timed. */
const pending = { status: "pending", version: "1", seller: "s", mode: "test", events: "" }
const paid = [
  ...["txn_1", 1, "pending", "paid", "{}", "transaction.paid", "0", 1_000],
  ...["h", "w", "q:", "", "", "s", "test"],
]

const cases: ReadonlyArray<
  readonly [
    what: string,
    name: string,
    keys: ReadonlyArray<string>,
    hash: Readonly<Record<string, string>>,
    args: ReadonlyArray<string | number>,
  ]
> = [
  [
    "a movement whose amount is not an integer",
    "transition_transaction",
    keysOf(12),
    pending,
    [...paid, ...[0, 0, "charge_paid", "transaction", 2, "external", "-1", "available", "1.5"]],
  ],
  [
    "a timer whose due time is not a number",
    "transition_transaction",
    keysOf(12),
    pending,
    [...paid, ...[1, 0, "", "", 0, "release", "soon"]],
  ],
  [
    "money for an exception that is not there",
    "transition_transaction",
    keysOf(12),
    pending,
    [...paid, ...[0, 0, "payment_credited", "exception", 2, "external", "-1", "available", "1"]],
  ],
  [
    "an exception without what is under way",
    "transition_transaction",
    keysOf(22),
    pending,
    [
      ...paid,
      ...[
        0,
        0,
        "",
        "",
        0,
        "",
        "",
        "",
        "",
        "",
        "open",
        "exc_1",
        "open",
        "{}",
        "fact",
        "kind",
        "test",
        "",
        "",
        1,
      ],
    ],
  ],
  [
    "a seller's field without a value",
    "update_seller",
    keysOf(8),
    { status: "active", version: "1" },
    ["s", 1, "seller.updated", "{}", 1_000, "w", "q:", "h", "h", "c", "name"],
  ],
  [
    "no backup codes to replace the old ones",
    "enable_two_factor",
    keysOf(2),
    { password_hash: "hash" },
    ["hash", "secret", "1", "session"],
  ],
]

describe("a function with invalid arguments", () => {
  it.live.each(cases)("a function given %s fails before its first write", ([, name, keys, hash, args]) =>
    Effect.gen(function* () {
      const client = yield* RedisClient
      yield* client.call("FLUSHALL", [])
      yield* ensureLibrary(client)
      yield* client.call("HSET", [keys[0] ?? "", ...Object.entries(hash).flat()])
      if (name === "enable_two_factor") yield* client.call("SADD", [keys[1] ?? "", "an old code"])
      const before = [yield* client.call("KEYS", ["*"]), yield* client.call("HGETALL", [keys[0] ?? ""])]
      const exit = yield* Effect.exit(
        callParameters(client, [`corrente_${name}`, keys.length, ...keys, ...args]),
      )
      expect(Exit.isFailure(exit)).toBe(true)
      const after = [yield* client.call("KEYS", ["*"]), yield* client.call("HGETALL", [keys[0] ?? ""])]
      expect(after).toEqual(before)
    }).pipe(Effect.provide(RedisClientLive(server.url))),
  )

  it.live.each([Number.NaN, Number.POSITIVE_INFINITY])(
    "a function given the number %d is not called at all",
    (number) =>
      Effect.gen(function* () {
        const client = yield* RedisClient
        yield* ensureLibrary(client)
        const exit = yield* Effect.exit(
          callParameters(client, ["corrente_drop_timer", 1, key("timers"), "a", number]),
        )
        expect(Exit.hasDies(exit)).toBe(true)
      }).pipe(Effect.provide(RedisClientLive(server.url))),
  )
})
