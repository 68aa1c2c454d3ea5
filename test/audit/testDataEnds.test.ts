import { Effect, Layer, ManagedRuntime, Semaphore } from "effect"
import { Redis } from "ioredis"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { ClosingStore } from "../../actors/ports/closingStore.ts"
import { Retention, type TrimmedTestStep } from "../../actors/ports/retention.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { decideReleased } from "../../actors/seller/decisions/transactionTransitions.ts"
import { noAmounts } from "../../actors/values/closing.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { dayAfter, dayOf } from "../../actors/values/saoPauloDays.ts"
import { partitionOfId } from "../../schema/ids.ts"
import type { AuditDifference } from "../../src/audit/difference.ts"
import { repairAll } from "../../src/audit/repair.ts"
import { verifyAll } from "../../src/audit/verify.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { RedisStoreLive } from "../../src/store/redisStore.ts"
import { trimTest } from "../../src/store/testRetention.ts"
import { openShop } from "../conformance/fixtures.ts"
import { makeStage, nowMillis, Stage } from "../conformance/stage.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { liveCharge, livePaymentLink, livePixKey, liveWithdrawal } from "./healthyShop.ts"
import { liveRefund } from "./liveRefunds.ts"

const retentionMillis = 40
const options = { retentionMillis, testRetentionMillis: retentionMillis, partitions: 4, processId: "audit" }
const makeRuntime = (url: string) =>
  ManagedRuntime.make(
    Layer.effect(Stage, makeStage<never>({ eventRetentionMillis: retentionMillis, partitions: 4 }, {})).pipe(
      Layer.provideMerge(RedisStoreLive(url, options)),
    ),
  )

let server: TestRedis
let redis: Redis
let runtime: ReturnType<typeof makeRuntime>
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
  redis = new Redis(server.url)
  runtime = makeRuntime(server.url)
})
afterAll(async () => {
  await runtime.dispose()
  redis.disconnect()
  await server.stop()
})

const paid = { kind: "paid", reserveBps: 0 } as const
const held = { kind: "paid", reserveBps: 1_000 } as const
const countsInNoDay = "2026-11-01"

const closeDays = Effect.gen(function* () {
  const store = yield* ClosingStore
  const lease = yield* store.claim("closer", 60_000)
  if (lease === undefined) return yield* Effect.die(new Error("the lease is taken"))
  const nothing = { movements: {}, closing: noAmounts, partner: undefined }
  yield* store.closeWhole(lease, "test", { day: dayAfter(dayOf(yield* nowMillis)), ...nothing })
})

/** Drops what is past retention in the feeds of a seller's partition. */
const trimFeeds = Effect.fnUntraced(function* ({ sellerId }: Principal) {
  const retention = yield* Retention
  let from: string | undefined
  do from = (yield* retention.trim(partitionOfId(sellerId) ?? 0, from)).next
  while (from !== undefined)
})

/** Trims a seller's partition as the hourly run does, and returns what of test mode was deleted. */
const trim = Effect.fnUntraced(function* (owner: Principal) {
  yield* trimFeeds(owner)
  const retention = yield* Retention
  const partition = partitionOfId(owner.sellerId) ?? 0
  let from: string | undefined
  const deleted = { resources: 0, ledgerEntries: 0 }
  do {
    const step: TrimmedTestStep = yield* retention.trimTest(partition, from)
    deleted.resources += step.resources
    deleted.ledgerEntries += step.ledgerEntries
    from = step.next
  } while (from !== undefined)
  return deleted
})

const past = Effect.sleep(retentionMillis + 20)

/** What has ended: a charge with a refund, one whose reserve was released, an expired one, and two withdrawals. */
const endedTrade = Effect.fnUntraced(function* (owner: Principal) {
  const refunded = yield* liveCharge(owner, [paid])
  yield* liveRefund(owner, refunded, 500, ["processing", "succeeded"])
  yield* liveCharge(owner, [held, { kind: "released" }])
  yield* liveCharge(owner, [{ kind: "expired" }])
  yield* liveCharge(owner, [held, { kind: "refund", amount: 3_000 }, { kind: "refund", amount: 7_000 }])
  const pixKey = yield* livePixKey(owner, "verified")
  const steps = ["approved", "processing", "successful"] as const
  yield* liveWithdrawal(owner, pixKey, steps, countsInNoDay)
  yield* liveWithdrawal(owner, pixKey, ["rejected"], countsInNoDay)
})

/** A shop whose ledger was trimmed up to a charge with a reserve, and still names others that are deleted. */
const openTrimmedShop = Effect.gen(function* () {
  const { live, test } = yield* openShop()
  yield* liveCharge(live, [paid])
  yield* endedTrade(test)
  const link = yield* livePaymentLink(test)
  yield* liveCharge(test, [held, { kind: "released" }], undefined, link)
  yield* liveCharge(test, [{ kind: "expired" }], undefined, link)
  const waiting = yield* liveCharge(test, [held], undefined, link)
  yield* endedTrade(test)
  yield* past
  yield* closeDays
  const deleted = yield* trim(test)
  // Audits go on from checkpoints only where the feed still has their event.
  for (const owner of [live, test]) yield* liveCharge(owner, [paid])
  return { live, test, waiting, link, deleted }
})
type TrimmedShop = Effect.Success<typeof openTrimmedShop>

const release = Effect.fnUntraced(function* (id: string) {
  const store = yield* TransactionStore
  const stored = yield* store.load(id)
  const commit = stored && decideReleased(stored, { nowMillis: yield* nowMillis, offsetMillis: 0 })
  if (commit === undefined) return yield* Effect.die(new Error(`nothing of ${id} to release`))
  yield* store.transition(commit)
})

const audit = (isFull: boolean) => Effect.flatMap(RedisClient, (client) => verifyAll(client, isFull))
const verify = () => runtime.runPromise(audit(true))
const goOn = () => runtime.runPromise(audit(false))

const differenceOf = async (isFull: boolean): Promise<AuditDifference> => {
  const found = await runtime.runPromise(Effect.flip(audit(isFull)))
  if (found._tag !== "AuditDifference") throw found
  return found
}

let shop: TrimmedShop
beforeEach(async () => {
  await redis.flushall()
  shop = await runtime.runPromise(openTrimmedShop)
})

describe("an audit of a test mode that was trimmed", () => {
  it("it passes, from the ledger's base and from a checkpoint", async () => {
    expect(shop.deleted.resources).toBeGreaterThan(12)
    const [ledger, base] = [keys.ledgerKey(shop.test), keys.ledgerBaseKey(shop.test)]
    const [first] = await redis.xrange(ledger, "-", "+", "COUNT", 1)
    expect(first?.[1][7]).toBe(shop.waiting)
    expect(Number(await redis.hget(base, "entries"))).toBe(shop.deleted.ledgerEntries)
    const full = await verify()
    const resumed = await goOn()

    expect(full.ledgerEntries).toBe((await redis.xlen(ledger)) + 2)
    expect([full.modesResumed, resumed.modesResumed]).toEqual([0, 2])
    expect(resumed.ledgerEntries).toBe(0)
  })

  it("a payment link keeps the payments whose charges are gone, and a repair leaves them", async () => {
    const link = () =>
      redis.hmget(keys.paymentLinkKey(shop.link), "payments", "gone_payments", "paid_amount", "gone_amount")
    expect(await link()).toEqual(["2", "1", "20000", "10000"])
    const { counters } = await runtime.runPromise(Effect.flatMap(RedisClient, repairAll))
    expect([counters, await link()]).toEqual([[], ["2", "1", "20000", "10000"]])
  })

  it("it passes when all of the ledger is gone, when it grows again, and when its checkpoint's entry is gone", async () => {
    await goOn()
    await runtime.runPromise(Effect.andThen(release(shop.waiting), past))
    const { resources } = await runtime.runPromise(trim(shop.test))
    expect([resources, await redis.xlen(keys.ledgerKey(shop.test))]).toEqual([2, 0])
    expect(await redis.exists(keys.ledgerDeletedKey(shop.test))).toBe(0)
    await goOn()
    await goOn()
    await verify()
    await runtime.runPromise(liveCharge(shop.test, [paid]))
    await goOn()
    await verify()
  })

  it("it passes while charges are made, end and are deleted", async () => {
    const trade = Effect.forEach(
      Array.from({ length: 60 }, (_, i) => i),
      () => liveCharge(shop.test, [paid, { kind: "refund", amount: 10_000 }]),
      { concurrency: 5 },
    )
    const busy = Effect.repeat(Effect.andThen(trade, trim(shop.test)), { times: 5 })
    await runtime.runPromise(
      Effect.all(
        [busy, Effect.repeat(audit(false), { times: 6 }), Effect.repeat(audit(true), { times: 6 })],
        {
          concurrency: 3,
        },
      ),
    )
    await verify()
  })

  it("it passes after each single commit of a run, as if the process had died there", async () => {
    await runtime.runPromise(Effect.andThen(release(shop.waiting), past))
    let commits = 0
    const run = Effect.gen(function* () {
      const client = yield* RedisClient
      const oneByOne = yield* Semaphore.make(1)
      const audited: RedisClient["Service"] = {
        ...client,
        call: (name, args) =>
          name !== "FCALL"
            ? client.call(name, args)
            : oneByOne.withPermits(1)(
                Effect.tap(client.call(name, args), () => {
                  commits += 1
                  return Effect.orDie(verifyAll(client, true))
                }),
              ),
      }
      const step = trimTest(audited, options)
      let from: string | undefined
      do from = (yield* step(partitionOfId(shop.test.sellerId) ?? 0, from)).next
      while (from !== undefined)
    })
    await runtime.runPromise(endedTrade(shop.test))
    await runtime.runPromise(Effect.andThen(past, trimFeeds(shop.test)))
    await runtime.runPromise(run)
    expect(commits).toBeGreaterThan(8)
    expect(await redis.xlen(keys.ledgerKey(shop.test))).toBe(0)
  })

  it("a difference does not count where something was deleted meanwhile: the mode is audited again", async () => {
    await runtime.runPromise(Effect.andThen(release(shop.waiting), past))
    const ledger = keys.ledgerKey(shop.test)
    let deleted = { resources: 0, ledgerEntries: 0 }
    const crossed = Effect.gen(function* () {
      const client = yield* RedisClient
      const services = yield* Effect.context<Retention>()
      // The base was read before; the ledger is read after what goes now.
      const trimmed: RedisClient["Service"] = {
        ...client,
        call: (name, args) =>
          name === "XRANGE" && args[0] === ledger && deleted.resources === 0
            ? Effect.andThen(
                Effect.map(Effect.provideContext(trim(shop.test), services), (found) => {
                  deleted = found
                }),
                client.call(name, args),
              )
            : client.call(name, args),
      }
      return yield* verifyAll(trimmed, true)
    })
    const report = await runtime.runPromise(crossed)
    expect(deleted.resources).toBe(2)
    expect(deleted.ledgerEntries).toBeGreaterThan(10)
    expect(report.ledgerEntries).toBe(2)
  })

  it("two processes that trim at once delete each thing once", async () => {
    await runtime.runPromise(Effect.andThen(release(shop.waiting), past))
    await runtime.runPromise(trimFeeds(shop.test))
    const [one, two] = await runtime.runPromise(
      Effect.all([trim(shop.test), trim(shop.test)], { concurrency: 2 }),
    )
    expect(one.resources + two.resources).toBe(2)
    expect(await redis.xlen(keys.ledgerKey(shop.test))).toBe(0)
    await verify()
  })

  it("repairs find nothing to mend", async () => {
    const report = await runtime.runPromise(Effect.flatMap(RedisClient, repairAll))
    expect([report.indexes, report.counters, report.timers, report.refused]).toEqual([[], [], [], []])
  })
})

type Damage = (trimmed: TrimmedShop) => Promise<unknown>
const ofBase =
  (...fields: ReadonlyArray<string>): Damage =>
  ({ test }) =>
    redis.hset(keys.ledgerBaseKey(test), ...(fields as [string, string]))

/** Damages and the key that a difference names. */
const damages: Readonly<Record<string, readonly [Damage, keyof typeof at]>> = {
  "a bucket of the base is wrong": [ofBase("available", "1"), "base"],
  "two buckets of the base are wrong, and sum to zero": [
    async ({ test }) => {
      await redis.hincrby(keys.ledgerBaseKey(test), "available", 1)
      await redis.hincrby(keys.ledgerBaseKey(test), "reserve", -1)
    },
    "base",
  ],
  "the base counts too many entries": [
    ({ test }) => redis.hincrby(keys.ledgerBaseKey(test), "entries", 1),
    "base",
  ],
  "a field of the base is no number": [ofBase("credits", "many"), "base"],
  "a field of the base is gone": [({ test }) => redis.hdel(keys.ledgerBaseKey(test), "fees"), "base"],
  "the base names no entry": [ofBase("entry", ""), "base"],
  "a counter of the base is wrong": [
    ({ test }) => redis.hincrby(keys.ledgerBaseKey(test), "credits", 1),
    "balance",
  ],
  "the base is gone": [({ test }) => redis.del(keys.ledgerBaseKey(test)), "ledger"],
  "the first entry after the base is gone": [
    async ({ test }) => {
      const [first] = await redis.xrange(keys.ledgerKey(test), "-", "+", "COUNT", 1)
      await redis.xdel(keys.ledgerKey(test), first?.[0] ?? "")
    },
    "base",
  ],
  "what is deleted is no longer known": [({ test }) => redis.del(keys.ledgerDeletedKey(test)), "charges"],
  "live has a base": [({ live }) => redis.hset(keys.ledgerBaseKey(live), "entry", "1-1"), "liveBase"],
}

const at = {
  base: ({ test }: TrimmedShop) => keys.ledgerBaseKey(test),
  ledger: ({ test }: TrimmedShop) => keys.ledgerKey(test),
  balance: ({ test }: TrimmedShop) => keys.balanceKey(test),
  charges: ({ test }: TrimmedShop) => keys.transactionsKey(test.sellerId, "test"),
  liveBase: ({ live }: TrimmedShop) => keys.ledgerBaseKey(live),
}

describe("damage to a test mode that was trimmed", () => {
  for (const [name, [damage, key]] of Object.entries(damages)) {
    it(`an audit from the beginning finds that ${name}`, async () => {
      await damage(shop)
      expect((await differenceOf(true)).key).toBe(at[key](shop))
    })
  }

  it("an audit from a checkpoint finds damage to the base", async () => {
    await goOn()
    await redis.hincrby(keys.ledgerBaseKey(shop.test), "entries", 1)
    expect((await differenceOf(false)).key).toBe(at.base(shop))
  })

  it("with all entries gone, the base is compared with the balance", async () => {
    await runtime.runPromise(Effect.andThen(release(shop.waiting), past))
    await runtime.runPromise(trim(shop.test))
    await redis.hincrby(keys.ledgerBaseKey(shop.test), "credits", 1)
    for (const isFull of [true, false]) expect((await differenceOf(isFull)).key).toBe(at.base(shop))
  })

  it("nothing is deleted over damage: an entry of a lost charge, and one that does not follow, stay", async () => {
    const ledger = keys.ledgerKey(shop.test)
    const before = await redis.xlen(ledger)
    await redis.del(keys.transactionKey(shop.waiting))
    for (const status of [undefined, "paid"]) {
      await redis.zrem(keys.transactionsKey(shop.test.sellerId, "test", status), shop.waiting)
    }
    await runtime.runPromise(Effect.andThen(past, trim(shop.test)))
    expect(await redis.xlen(ledger)).toBe(before)
    expect((await differenceOf(true)).key).toBe(at.charges(shop))

    await redis.zadd(keys.ledgerDeletedKey(shop.test), Date.now(), shop.waiting)
    await redis.hincrby(keys.ledgerBaseKey(shop.test), "available", 1)
    await runtime.runPromise(trim(shop.test))
    expect(await redis.xlen(ledger)).toBe(before)
  })
})
