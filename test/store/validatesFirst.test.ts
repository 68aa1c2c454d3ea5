import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import "../../src/store/redisStore.ts"
import { callFunction, ensureLibrary } from "../../src/store/redis/functionLibrary.ts"
import { type Change, declaredFunctions } from "../../src/store/redis/luaFunction.ts"
import { RedisClient, RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => server.stop())

/** The key that a function has under a name. */
const keyNamed = (name: string) => `{p00}:${name.replace(/\W/g, "")}`

const call = (name: string, change: Change) =>
  Effect.suspend(() =>
    Effect.gen(function* () {
      const declared = declaredFunctions().find((candidate) => candidate.name === name)
      if (declared === undefined) return yield* Effect.die(`no function ${name}`)
      const keys = Object.fromEntries(
        declared.keys.map((key) => [key.replace(/\W/g, ""), keyNamed(key)] as const),
      )
      const texts = Object.fromEntries(declared.texts.map((text) => [text, "{}"] as const))
      return yield* callFunction(yield* RedisClient, declared, keys, change, texts)
    }),
  )

const charge = {
  ...{ id: "txn_1", version: 1, oldStatus: "pending", newStatus: "paid", eventType: "transaction.paid" },
  ...{ isInternal: false, timers: [], timersDone: [] },
}
const paid = { sellerId: "s", mode: "test", retentionMillis: 1_000, charge }
const pending = { status: "pending", version: "1", seller: "s", mode: "test", events: "" }
const money = (kind: string, resourceType: string, amount: number) => ({
  kind,
  resourceType,
  postings: [
    { bucket: "external", amount: -1 },
    { bucket: "available", amount },
  ],
})

const cases: ReadonlyArray<
  readonly [
    what: string,
    name: string,
    stored: readonly [key: string, hash: Readonly<Record<string, string>>],
    change: Change,
  ]
> = [
  [
    "a movement whose amount is not an integer",
    "charges.transition",
    ["charge", pending],
    { ...paid, movement: money("charge_paid", "transaction", 1.5) },
  ],
  [
    "a timer whose due time is not a number",
    "charges.transition",
    ["charge", pending],
    { ...paid, charge: { ...charge, timers: [{ name: "release", dueMillis: "soon" }] } },
  ],
  [
    "money for an exception that is not there",
    "charges.transition",
    ["charge", pending],
    { ...paid, movement: money("payment_credited", "exception", 1) },
  ],
  [
    "a changed exception without what is under way",
    "charges.transition",
    ["charge", pending],
    {
      ...paid,
      exception: { id: "exc_1", state: "open", fact: "fact", kind: "kind", mode: "test", version: 1 },
    },
  ],
]

describe("a function with invalid arguments", () => {
  it.live.each(cases)("a function given %s fails before its first write", ([, name, [key, hash], change]) =>
    Effect.gen(function* () {
      const client = yield* RedisClient
      yield* client.call("FLUSHALL", [])
      yield* ensureLibrary(client)
      yield* client.call("HSET", [keyNamed(key), ...Object.entries(hash).flat()])
      const state = Effect.all([client.call("KEYS", ["*"]), client.call("HGETALL", [keyNamed(key)])])
      const before = yield* state
      const exit = yield* Effect.exit(call(name, change))
      expect(Exit.isFailure(exit)).toBe(true)
      expect(yield* state).toEqual(before)
    }).pipe(Effect.provide(RedisClientLive(server.url))),
  )

  it.live.each([Number.NaN, Number.POSITIVE_INFINITY])(
    "a function given the number %d is not called at all",
    (number) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(call("refunds.note_stuck", { id: "rfd_1", sinceMillis: number }))
        expect(Exit.hasDies(exit)).toBe(true)
      }).pipe(Effect.provide(RedisClientLive(server.url))),
  )
})
