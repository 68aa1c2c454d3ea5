import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import { repairAll } from "../../src/audit/repair.ts"
import * as keys from "../../src/store/keys.ts"
import { library } from "../../src/store/redis/functionLibrary.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"
import { liveCharge, unknownId } from "./healthyShop.ts"

let stage: AuditStage
beforeAll(async () => {
  stage = await startAuditStage()
})
afterAll(() => stage.stop())

const repair = () => stage.runtime.runPromise(Effect.flatMap(RedisClient, repairAll))
const nothing = { timers: [], indexes: [], counters: [], refused: [] }

/** Damages, which an audit must find; returns what a repair mends, after which an audit passes and a repair mends nothing. */
const mended = async (damage: () => Promise<unknown>) => {
  await damage()
  await stage.difference()
  const report = await repair()
  await stage.verify()
  expect(await repair()).toEqual(nothing)
  expect(report.refused).toEqual([])
  return report
}

/** What a key holds; the dump of a hash may differ where its fields do not. */
const contentsOf = async (key: string): Promise<unknown> => {
  const { redis } = stage
  const type = await redis.type(key)
  if (type === "hash") return redis.hgetall(key)
  return type === "zset"
    ? redis.zrange(key, "0", "-1")
    : type === "none"
      ? "none"
      : redis.xrange(key, "-", "+")
}

/** Damages, and expects a repair to change none of these keys and to name what it leaves. */
const refused = async (touched: ReadonlyArray<string>, damage: () => Promise<unknown>) =>
  stage.restoring(touched, damage, async () => {
    const before = await Promise.all(touched.map(contentsOf))
    const report = await repair()
    expect(await Promise.all(touched.map(contentsOf))).toEqual(before)
    await stage.difference()
    return report.refused.map(({ check, key }) => [check, key])
  })

const indexes = {
  transactions: keys.transactionsKey,
  refunds: keys.refundsKey,
}
const indexOf = (name: keyof typeof indexes, status?: string): string => {
  const { sellerId, mode } = stage.shop.owner
  return indexes[name](sellerId, mode, status)
}

describe("a repair of a healthy shop", () => {
  it("mends nothing", async () => {
    expect(await repair()).toEqual(nothing)
  })
})

describe("a repair of indexes", () => {
  it("adds an id that the index of all or of its status lacks, or both", async () => {
    const paid = stage.shop.charges.held
    const all = indexOf("transactions")
    const own = indexOf("transactions", "paid")
    const changes = []
    for (const lacking of [[all], [own], [all, own]]) {
      changes.push(
        (await mended(() => Promise.all(lacking.map((key) => stage.redis.zrem(key, paid))))).indexes,
      )
    }

    expect(changes).toEqual([
      [`${all} gains ${paid}`],
      [`${own} gains ${paid}`],
      [`${all} gains ${paid}`, `${own} gains ${paid}`],
    ])
  })

  it("removes an id from the indexes of statuses that it does not have", async () => {
    const { refunded } = stage.shop.charges
    const { indexes } = await mended(() => stage.redis.zadd(indexOf("transactions", "pending"), 0, refunded))

    expect(indexes).toEqual([`${indexOf("transactions", "pending")} loses ${refunded}`])
  })

  it("removes ids that nothing has: from the index of all, of a status, and of other partitions", async () => {
    const unknown = unknownId("txn_", stage.shop.charges.held)
    const places = [
      [indexOf("transactions"), unknown],
      [indexOf("transactions", "paid"), "txn_9"],
      [indexOf("refunds"), "~"],
    ] as const
    for (const [key, id] of places) {
      expect((await mended(() => stage.redis.zadd(key, 0, id))).indexes).toEqual([`${key} loses ${id}`])
    }
  })

  it("mends the indexes of withdrawals and PIX keys that a partition's sellers share", async () => {
    const { owner, withdrawals, pixKeys } = stage.shop
    const tag = keys.tagOf(owner.sellerId)
    const [open, done] = ["approved", "successful"].map((status) =>
      keys.partitionWithdrawalsKey(tag, owner.mode, status),
    )
    const verified = keys.partitionPixKeysKey(tag, owner.mode, "verified")
    const moved = await mended(async () => {
      await stage.redis.zrem(open ?? "", withdrawals.open)
      await stage.redis.zadd(done ?? "", 0, withdrawals.open)
    })
    const key = await mended(() => stage.redis.zrem(verified, pixKeys.verified))
    const unknown = await mended(() => stage.redis.zadd(verified, 0, unknownId("pk_", pixKeys.verified)))

    expect(moved.indexes.toSorted()).toEqual(
      [`${done} loses ${withdrawals.open}`, `${open} gains ${withdrawals.open}`].toSorted(),
    )
    expect(key.indexes).toEqual([`${verified} gains ${pixKeys.verified}`])
    expect(unknown.indexes).toEqual([`${verified} loses ${unknownId("pk_", pixKeys.verified)}`])
  })

  it("mends refunds' indexes, and those of one charge's refunds", async () => {
    const { charges, refunds } = stage.shop
    const [succeeded, ofCharge] = [indexOf("refunds", "succeeded"), keys.refundsOfKey(charges.returning)]
    const status = await mended(() => stage.redis.zrem(succeeded, refunds.done))
    const missing = await mended(() => stage.redis.zrem(ofCharge, refunds.done))
    const other = keys.refundsOfKey(charges.held)
    const stray = await mended(() => stage.redis.zadd(other, 0, refunds.done))

    expect([status, missing, stray].map(({ indexes }) => indexes)).toEqual([
      [`${succeeded} gains ${refunds.done}`],
      [`${ofCharge} gains ${refunds.done}`],
      [`${other} loses ${refunds.done}`],
    ])
  })

  it("leaves a resource that its indexes have and whose hash is lost, damaged or of another seller", async () => {
    const id = stage.shop.charges.expired
    const hash = keys.transactionKey(id)
    const touched = [hash, indexOf("transactions"), indexOf("transactions", "expired")]
    const lost = await refused(touched, () => stage.redis.del(hash))
    const status = await refused(touched, () => stage.redis.hset(hash, "status", "odd"))
    const seller = await refused(touched, () => stage.redis.hset(hash, "seller", stage.shop.other.sellerId))

    for (const left of [lost, status, seller]) expect(left).toEqual([["charge", hash]])
  })
})

describe("a repair of counters", () => {
  it("sets each counter to what the ledger has, whatever it was", async () => {
    const balance = keys.balanceKey(stage.shop.owner)
    for (const name of ["entries", "credits", "debits", "reserve_entries", "withdrawal_entries"]) {
      const before = await stage.redis.hget(balance, name)
      const more = await mended(() => stage.redis.hincrby(balance, name, 2))
      const lost = await mended(() => stage.redis.hdel(balance, name))

      expect(more.counters).toEqual([`${balance}: ${name} was ${Number(before) + 2}`])
      expect(lost.counters).toEqual([`${balance}: ${name} was 0`])
      expect(await stage.redis.hget(balance, name)).toBe(before)
    }
  })

  it("changes no bucket and no counter beside a bucket that is wrong", async () => {
    const balance = keys.balanceKey(stage.shop.owner)
    for (const bucket of ["available", "reserve", "pending_withdraw", "pending_refund", "external", "fees"]) {
      const left = await refused([balance], async () => {
        await stage.redis.hincrby(balance, bucket, 1)
        await stage.redis.hincrby(balance, "entries", 1)
      })
      expect(left).toEqual([["balance", balance]])
    }
  })

  it("changes neither a damaged ledger nor the balance beside it", async () => {
    const { owner } = stage.shop
    const [balance, ledger] = [keys.balanceKey(owner), keys.ledgerKey(owner)]
    const left = await refused([balance, ledger], async () => {
      await stage.redis.hincrby(balance, "entries", 1)
      await stage.rewrite(ledger, (values, i) =>
        i === 3 ? values.with(11, "available:1 external:-1") : values,
      )
    })

    expect(left).toEqual([["ledger", ledger]])
  })

  it("tries again when the ledger has grown, and leaves one that never rests to the next repair", async () => {
    const { owner } = stage.shop
    const balance = keys.balanceKey(owner)
    // The counts of hours still follow the ledger that an earlier test had damaged.
    await stage.runtime.runPromise(Effect.flatMap(RedisClient, repairAll))
    const before = await stage.redis.hget(balance, "credits")
    const growing = (timesMax: number) =>
      stage.runtime.runPromise(
        Effect.gen(function* () {
          const client = yield* RedisClient
          const newCharge = liveCharge(owner, [{ kind: "paid", reserveBps: 0 }])
          const context = yield* Effect.context<Effect.Services<typeof newCharge>>()
          const grow = newCharge.pipe(Effect.provideContext(context), Effect.orDie)
          let times = 0
          return yield* repairAll({
            ...client,
            call: (name, args) =>
              name === "FCALL" &&
              args[0] === library.registeredName("audit.repair_counters") &&
              args.includes(balance) &&
              times++ < timesMax
                ? Effect.andThen(grow, client.call(name, args))
                : client.call(name, args),
          })
        }),
      )
    await stage.redis.hincrby(balance, "credits", 5)
    const restless = await growing(limits.repairCountersTriesMax)
    const calm = await growing(limits.repairCountersTriesMax - 1)

    expect(restless.counters).toEqual([])
    expect(calm.counters).toEqual([expect.stringContaining(`${balance}: credits was `)])
    expect(Number(await stage.redis.hget(balance, "credits"))).toBe(
      Number(before) + 2 * limits.repairCountersTriesMax - 1,
    )
    await stage.verify()
  })
})

describe("a repair beside traffic", () => {
  it("mends nothing while charges are created, paid and refunded", async () => {
    const trade = Effect.forEach(
      Array.from({ length: 50 }, (_, i) => i),
      () =>
        liveCharge(stage.shop.owner, [
          { kind: "paid", reserveBps: 1_000 },
          { kind: "refund", amount: 100 },
        ]),
      { concurrency: 20 },
    )
    const repairs = Effect.replicateEffect(Effect.flatMap(RedisClient, repairAll), 3)
    const [, reports] = await stage.runtime.runPromise(Effect.all([trade, repairs], { concurrency: 2 }))

    // What is under way lies between two reads; a function then looks again before it writes.
    for (const report of reports) expect({ ...report, timers: [] }).toEqual(nothing)
    await stage.verify()
  })
})
