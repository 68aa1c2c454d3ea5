import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { type Feed, makeId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { Counters as CountersResource } from "../../../schema/resources/account.ts"
import { withdrawalStatuses } from "../../../schema/resources/withdrawal.ts"
import { Counters, CountersLive } from "../../../src/accounts/sellers/counters.ts"
import * as keys from "../../../src/store/keys.ts"
import { RedisClient, RedisClientLive } from "../../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../../support/redis.ts"
import { freshSellerId } from "./sellerFixture.ts"

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => server.stop())

/** The counters of one process: two processes share nothing but Redis. */
const process = () => Layer.fresh(CountersLive.pipe(Layer.provideMerge(RedisClientLive(server.url))))
const inRedis = <A, E>(program: Effect.Effect<A, E, Counters | RedisClient>) =>
  Effect.suspend(() => Effect.provide(program, process()))

const decode = Schema.decodeUnknownSync(CountersResource)
const countersOf = (feed: Feed) =>
  Effect.map(
    Effect.flatMap(Counters, (counters) => counters.of(feed)),
    (text) => decode(JSON.parse(text)),
  )

const dayMillis = 24 * 60 * 60 * 1000
const attemptAt = (millis: number) => makeId("whd_", millis, 11, randomBytes(14))
const addAttempt = (feed: Feed, status: string, millis: number) =>
  Effect.flatMap(RedisClient, ({ call }) =>
    call("ZADD", [
      keys.attemptsKey(feed.sellerId, feed.mode, { kind: "status", value: status }),
      0,
      attemptAt(millis),
    ]),
  )
const addIds = (key: string, count: number) =>
  Effect.flatMap(RedisClient, ({ call }) =>
    call("ZADD", [key, ...Array.from({ length: count }, (_, i) => [0, `id_${i}`]).flat()]),
  )
const addCharges = (feed: Feed, status: string, count: number) =>
  addIds(keys.transactionsKey(feed.sellerId, feed.mode, status), count)

describe("counters", () => {
  it.live("counters are all zero for a seller that has nothing", () =>
    inRedis(
      Effect.gen(function* () {
        const { kyc_status, ...counts } = yield* countersOf({ sellerId: freshSellerId(), mode: "live" })
        expect(kyc_status).toBe("none")
        for (const group of Object.values(counts)) {
          expect(new Set(Object.values(group))).toEqual(new Set([0]))
        }
      }),
    ),
  )

  it.live("counters count charges by status, a day's failed attempts and all dead ones, in one mode", () =>
    inRedis(
      Effect.gen(function* () {
        const feed = { sellerId: freshSellerId(), mode: "test" } as const
        const other = { ...feed, mode: "live" } as const
        const now = Date.now()
        const { call } = yield* RedisClient
        yield* call("HSET", [keys.sellerKey(feed.sellerId), "kyc_status", "pending"])
        yield* addCharges(feed, "pending", 3)
        yield* addCharges(feed, "chargeback", 2)
        yield* addCharges(other, "paid", 5)
        // A minute on either side of the bound: the test takes less than that.
        yield* addAttempt(feed, "failed", now - dayMillis - 60_000)
        yield* addAttempt(feed, "failed", now - dayMillis + 60_000)
        yield* addAttempt(feed, "failed", now)
        yield* addAttempt(feed, "dead", now - 9 * dayMillis)
        yield* addAttempt(feed, "success", now)
        const counters = yield* countersOf(feed)
        expect(counters.webhook_deliveries).toEqual({ failed_24h: 2, dead: 1 })
        expect(counters.kyc_status).toBe("pending")
        expect(counters.transactions).toEqual({
          pending: 3,
          paid: 0,
          expired: 0,
          failed: 0,
          refunded: 0,
          chargeback: 2,
        })
        expect((yield* countersOf(other)).transactions.paid).toBe(5)
      }),
    ),
  )

  it.live("counters count PIX keys that await approval, and withdrawals by status, in one mode", () =>
    inRedis(
      Effect.gen(function* () {
        const feed = { sellerId: freshSellerId(), mode: "live" } as const
        const { sellerId, mode } = feed
        yield* addIds(keys.pixKeysKey(sellerId, mode), 9)
        yield* addIds(keys.pixKeysKey(sellerId, mode, "pending_approval"), 2)
        yield* addIds(keys.pixKeysKey(sellerId, mode, "verified"), 4)
        yield* addIds(keys.pixKeysKey(sellerId, "test", "pending_approval"), 5)
        yield* addIds(keys.withdrawalsKey(sellerId, mode), 28)
        for (const [i, status] of withdrawalStatuses.entries()) {
          yield* addIds(keys.withdrawalsKey(sellerId, mode, status), i + 1)
        }
        yield* addIds(keys.withdrawalsKey(sellerId, "test", "failed"), 40)
        yield* addCharges(feed, "paid", 30)
        const counters = yield* countersOf(feed)
        expect(counters.pix_keys).toEqual({ pending_approval: 2 })
        expect(counters.withdrawals).toEqual(
          Object.fromEntries(withdrawalStatuses.map((status, i) => [status, i + 1])),
        )
        expect(counters.transactions.paid).toBe(30)
        expect((yield* countersOf({ sellerId, mode: "test" })).pix_keys).toEqual({ pending_approval: 5 })
      }),
    ),
  )

  it.live("counters count the ledger's movements by what they move, in one mode", () =>
    inRedis(
      Effect.gen(function* () {
        const feed = { sellerId: freshSellerId(), mode: "test" } as const
        const { call } = yield* RedisClient
        const fields = { entries: 11, credits: 5, debits: 4, reserve_entries: 3, withdrawal_entries: 2 }
        const buckets = { available: -700, reserve: 900, open: "wd_1" }
        const record = Object.entries({ ...buckets, ...fields }).flat()
        yield* call("HSET", [keys.balanceKey(feed), ...record])
        const other = { ...feed, mode: "live" } as const
        yield* call("HSET", [keys.balanceKey(other), "entries", 1])
        const counted = { entries: 11, credits: 5, debits: 4, reserve: 3, withdrawals: 2 }
        expect((yield* countersOf(feed)).ledger).toEqual(counted)
        const ofOther = { entries: 1, credits: 0, debits: 0, reserve: 0, withdrawals: 0 }
        expect((yield* countersOf(other)).ledger).toEqual(ofOther)
      }),
    ),
  )

  it.live("counters are the same in every process until they are counted again", () => {
    const feed = { sellerId: freshSellerId(), mode: "test" } as const
    const inAnother = inRedis(countersOf(feed))
    return inRedis(
      Effect.gen(function* () {
        const { call } = yield* RedisClient
        yield* addCharges(feed, "paid", 1)
        expect((yield* countersOf(feed)).transactions.paid).toBe(1)
        yield* addCharges(feed, "paid", 2)
        expect((yield* inAnother).transactions.paid).toBe(1)
        const key = keys.countersKey(feed.sellerId, feed.mode)
        const leftMillis = Number(yield* call("PTTL", [key]))
        expect(leftMillis).toBeGreaterThan(0)
        expect(leftMillis).toBeLessThanOrEqual(limits.countersCacheMillis)
        // Lets the stored counters expire.
        yield* call("PEXPIRE", [key, 0])
        expect((yield* inAnother).transactions.paid).toBe(2)
      }),
    )
  })

  it.live("counters are those of the process that counted first, where two count at once", () => {
    const feed = { sellerId: freshSellerId(), mode: "live" } as const
    return inRedis(
      Effect.gen(function* () {
        const { call } = yield* RedisClient
        const first = yield* countersOf(feed)
        const faster = JSON.stringify({ ...first, kyc_status: "approved" })
        yield* call("DEL", [keys.countersKey(feed.sellerId, feed.mode)])
        // Another process writes between this one's read and its write.
        const late = CountersLive.pipe(
          Layer.provide(
            Layer.effect(
              RedisClient,
              Effect.map(RedisClient, (client) => ({
                ...client,
                callAll: (commands: Parameters<typeof client.callAll>[0]) =>
                  Effect.tap(client.callAll(commands), () =>
                    client.call("SET", [keys.countersKey(feed.sellerId, feed.mode), faster]),
                  ),
              })),
            ),
          ),
        )
        const seen = yield* countersOf(feed).pipe(Effect.provide(Layer.fresh(late)))
        expect(seen.kyc_status).toBe("approved")
      }),
    )
  })
})
