import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { PixKeyStore } from "../../actors/ports/pixKeyStore.ts"
import { asAct, type SellerAct } from "../../actors/values/sellerAct.ts"
import { makeId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { sellerAuditKey, sellerKey } from "../../src/store/keys.ts"
import { PixKeyStoreLive } from "../../src/store/pixKeys.ts"
import { RedisClient, RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { LibraryLive } from "../../src/store/redisStore.ts"
import { makeSellerAuditStore } from "../../src/store/sellerAudit.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { StoreOptionsLive } from "../support/storeOptions.ts"

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => server?.stop())

const withStore = <A, E>(program: Effect.Effect<A, E, PixKeyStore | RedisClient | StoreOptionsService>) =>
  Effect.suspend(() =>
    Effect.provide(
      program,
      PixKeyStoreLive.pipe(
        Layer.provideMerge(LibraryLive),
        Layer.provideMerge(RedisClientLive(server.url)),
        Layer.provideMerge(StoreOptionsLive),
      ),
    ),
  )
type StoreOptionsService = Layer.Success<typeof StoreOptionsLive>

const keptMillis = 86_400_000
let made = 0
const newId = (prefix: "sel_" | "pk_") =>
  makeId(prefix, 1_795_000_000_000, 7, new Uint8Array(14).fill(++made))

const actOn = (sellerId: string, more: Partial<SellerAct> = {}): SellerAct => ({
  ...{ sellerId, operation: `operation ${++made}`, action: "pix_key.created" },
  actor: { type: "user", id: "u", name: "Ana" },
  ...{ ipAddress: "203.0.113.7", resourceType: "pix_key", resourceId: undefined },
  ...{ details: { mode: "test" }, keptMillis },
  ...more,
})

/** A PIX key to create. */
const newPixKey = (sellerId: string, valueHash = `hash ${++made}`) => ({
  ...{
    id: newId("pk_"),
    sellerId,
    mode: "test" as const,
    type: "email" as const,
    status: "verified" as const,
  },
  ...{ version: 1, value: "sealed", valueHash, maskedValue: "a***", createdAt: "2026-11-21T12:00:00.000Z" },
  verifiedAt: "2026-11-21T12:00:00.000Z",
})

const setUp = Effect.gen(function* () {
  const client = yield* RedisClient
  const sellerId = newId("sel_")
  yield* client.call("HSET", [sellerKey(sellerId), "status", "active"])
  const audit = yield* makeSellerAuditStore
  const entries = Effect.map(
    audit.list(sellerId, { beforeId: undefined, limit: 100 }),
    (page) => page.entries,
  )
  return { client, sellerId, audit, entries, store: yield* PixKeyStore }
})

describe("a seller's audit log", () => {
  it.live("an act that is done is an entry, with the id of what it created", () =>
    withStore(
      Effect.gen(function* () {
        const { sellerId, entries, store } = yield* setUp
        const pixKey = newPixKey(sellerId)
        expect((yield* asAct(actOn(sellerId), store.create(pixKey))).kind).toBe("created")
        expect(yield* entries).toEqual([
          {
            id: expect.stringMatching(/^\d{13}-\d+$/),
            at: expect.any(String),
            actor: { type: "user", id: "u", name: "Ana" },
            ip_address: "203.0.113.7",
            action: "pix_key.created",
            resource_type: "pix_key",
            resource_id: pixKey.id,
            details: { mode: "test" },
          },
        ])
      }),
    ),
  )

  it.live("an act that is refused is no entry, and one that nobody audits neither", () =>
    withStore(
      Effect.gen(function* () {
        const { sellerId, entries, store } = yield* setUp
        expect((yield* store.create(newPixKey(sellerId, "taken"))).kind).toBe("created")
        const again = asAct(actOn(sellerId), store.create(newPixKey(sellerId, "taken")))
        expect((yield* again).kind).toBe("exists")
        expect(yield* entries).toEqual([])
      }),
    ),
  )

  it.live("an act whose reply was lost and that is repeated is one entry", () =>
    withStore(
      Effect.gen(function* () {
        const { sellerId, audit, entries, store } = yield* setUp
        const act = actOn(sellerId)
        const create = asAct(act, store.create(newPixKey(sellerId)))
        expect([(yield* create).kind, (yield* create).kind]).toEqual(["created", "created"])
        yield* audit.append(act)
        expect(yield* entries).toHaveLength(1)
      }),
    ),
  )

  it.live("an act whose effect lies elsewhere is appended alone", () =>
    withStore(
      Effect.gen(function* () {
        const { sellerId, audit, entries } = yield* setUp
        const signedIn = {
          action: "user.signed_in",
          resourceType: "user",
          resourceId: "u",
          ipAddress: undefined,
        }
        yield* audit.append(actOn(sellerId, signedIn))
        expect(yield* entries).toMatchObject([
          { action: "user.signed_in", resource_id: "u", ip_address: null },
        ])
      }),
    ),
  )

  it.live("a seller's log has no other seller's acts", () =>
    withStore(
      Effect.gen(function* () {
        const one = yield* setUp
        const other = yield* setUp
        yield* one.audit.append(actOn(one.sellerId))
        expect([(yield* one.entries).length, (yield* other.entries).length]).toEqual([1, 0])
      }),
    ),
  )

  it.live("entries older than the retention are not shown, are trimmed, and an idle log ends by itself", () =>
    withStore(
      Effect.gen(function* () {
        const { client, sellerId, audit, entries } = yield* setUp
        const key = sellerAuditKey(sellerId)
        const old = Date.now() - keptMillis - 60_000
        const filled =
          "for i = 1, 250 do redis.call('XADD', KEYS[1], string.format('%.0f-%d', ARGV[1], i), 'operation', i, 'act', '{}') end"
        yield* client.call("EVAL", [filled, 1, key, old])
        expect(yield* entries).toEqual([])
        yield* audit.append(actOn(sellerId))
        expect(yield* entries).toHaveLength(1)
        // Redis trims a stream by whole nodes, of 100 entries each.
        expect(Number(yield* client.call("XLEN", [key]))).toBeLessThan(102)
        const expires = Number(yield* client.call("PTTL", [key]))
        expect(expires).toBeGreaterThan(keptMillis - 60_000)
        expect(expires).toBeLessThanOrEqual(keptMillis)
      }),
    ),
  )

  it.live("a log has a bounded number of entries", () =>
    withStore(
      Effect.gen(function* () {
        const { client, sellerId, audit } = yield* setUp
        const key = sellerAuditKey(sellerId)
        // In parts: one script of all would keep a loaded Redis from answering in time.
        const part = 500
        const filled = `for i = 1, ${part} do redis.call('XADD', KEYS[1], '*', 'operation', i, 'act', '{}') end`
        for (let entries = 0; entries < limits.sellerAuditEntriesMax + part; entries += part) {
          yield* client.call("EVAL", [filled, 1, key])
        }
        yield* audit.append(actOn(sellerId))
        const length = Number(yield* client.call("XLEN", [key]))
        expect(length).toBeGreaterThanOrEqual(limits.sellerAuditEntriesMax)
        expect(length).toBeLessThan(limits.sellerAuditEntriesMax + 100)
      }),
    ),
  )
})
