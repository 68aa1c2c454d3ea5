import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import {
  afterCommit,
  decideReleased,
  decideReturned,
} from "../../actors/seller/decisions/transactionTransitions.ts"
import { limits } from "../../schema/limits.ts"
import { verifyAll } from "../../src/audit/verify.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { nowMillis } from "../conformance/stage.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"
import { liveCharge } from "./healthyShop.ts"

let stage: AuditStage
let checkpoint: string
let ledger: string
let events: string
let balance: string
beforeAll(async () => {
  stage = await startAuditStage()
  const { owner } = stage.shop
  checkpoint = keys.auditedKey(owner)
  ledger = keys.ledgerKey(owner)
  events = keys.eventsKey(owner)
  balance = keys.balanceKey(owner)
})
afterAll(() => stage.stop())

const paid = { kind: "paid", reserveBps: 1_000 } as const

/** Makes a paid charge after a checkpoint; returns its id. */
const newCharge = async (): Promise<string> => {
  await stage.goOn()
  return stage.runtime.runPromise(liveCharge(stage.shop.owner, [paid]))
}

/** Releases the reserve of a charge that is there already, and then gives all of it back. */
const releaseAndReturn = (id: string) =>
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const time = { nowMillis: yield* nowMillis, offsetMillis: 0 }
    let stored = yield* store.load(id)
    if (stored === undefined) return yield* Effect.die(new Error(`${id} is gone`))
    const released = decideReleased(stored, time)
    if (released === undefined) return yield* Effect.die(new Error("nothing to release"))
    yield* store.transition(released)
    stored = afterCommit(stored, released)
    const returned = decideReturned(stored, { id: "D1", amount: 10_000, kind: "chargeback" }, time)
    if (returned === undefined) return yield* Effect.die(new Error("nothing to return"))
    yield* store.transition(returned)
  })

/** Whether an entry of the ledger lies further from its event than an audit looks for it. */
const isAnyEntryLate = async (): Promise<boolean> => {
  const millisOf = (id: string) => Number(id.split("-")[0])
  const entries = await stage.redis.xrange(ledger, "-", "+")
  return entries.some(([id, fields]) => {
    const event = fields[9] ?? ""
    const laterMillis = event === "" ? 0 : millisOf(id) - millisOf(event)
    return laterMillis < 0 || laterMillis > limits.auditEntryAfterEventMillis
  })
}

/** An audit from checkpoints at a moment of the test clock. */
const goOnAt = (millis: number) =>
  stage.runtime.runPromise(
    Effect.andThen(
      TestClock.setTime(millis),
      Effect.flatMap(RedisClient, (client) => verifyAll(client, false)),
    ).pipe(Effect.provide(TestClock.layer())),
  )

const last = async (stream: string): Promise<number> => (await stage.redis.xlen(stream)) - 1

describe("an audit from checkpoints", () => {
  it("the first audit begins at the beginning, and the next reads only what is open", async () => {
    await stage.redis.del(checkpoint)
    const first = await stage.goOn()
    const { tookMillis, oldestFullMillis, ...second } = await stage.goOn()

    expect([first.modesResumed, first.ledgerEntries, first.transactions]).toEqual([0, 33, 13])
    expect(second).toEqual({
      ...{ sellers: 2, modesResumed: 3, ledgerEntries: 0, events: 0, pixKeys: 3 },
      ...{ transactions: 1, withdrawals: 1, refunds: 2 },
    })
    expect(oldestFullMillis).toBeLessThanOrEqual(Date.now())
  })

  it("it reads what is new: a charge, its events and its movement", async () => {
    await newCharge()
    const report = await stage.goOn()

    expect([report.ledgerEntries, report.events, report.transactions]).toEqual([1, 2, 2])
  })

  it("it leaves the counts of an hour that is not over to a later one: they are as many as the hour's events", async () => {
    await newCharge()
    await stage.goOn()
    const series = (await stage.redis.keys(keys.seriesKey(stage.shop.owner, "*"))).toSorted()
    const damage = async () => {
      for (const key of series) {
        for (const field of await stage.redis.hkeys(key)) await stage.redis.hincrby(key, field, 1)
      }
    }
    await stage.restoring(series, damage, stage.goOn)
    expect((await stage.whileBroken(series, damage)).check).toBe("series")
  })

  it("it reads no ledger from its beginning, also where resources with earlier movements change", async () => {
    const { charges } = stage.shop
    await stage.goOn()
    await stage.runtime.runPromise(releaseAndReturn(charges.held))
    const [{ calls }, report] = await stage.counted((client) => verifyAll(client, false))
    const beginnings = calls.filter(
      ({ name, args }) => name === "XRANGE" && args[0] === ledger && args[1] === "-",
    )

    expect([report.ledgerEntries, report.events, report.transactions]).toEqual([2, 2, 3])
    // A busy machine may stop Redis between an event and its entry: such an entry is found in the whole ledger alone.
    if (!(await isAnyEntryLate())) expect(beginnings).toEqual([])
    expect(await stage.redis.hget(keys.transactionKey(charges.held), "release")).toMatch(/^\d+-\d+$/)
  })

  it("it passes while charges are created, paid, released and refunded", async () => {
    const trade = Effect.forEach(
      Array.from({ length: 100 }, (_, i) => i),
      () => liveCharge(stage.shop.owner, [paid, { kind: "released" }, { kind: "refund", amount: 100 }]),
      { concurrency: 20 },
    )
    const audit = Effect.flatMap(RedisClient, (client) => verifyAll(client, false))
    await stage.runtime.runPromise(
      Effect.all([trade, Effect.repeat(audit, { times: 12 })], { concurrency: 2 }),
    )

    expect((await stage.goOn()).modesResumed).toBe(3)
    expect((await stage.verify()).modesResumed).toBe(0)
  })

  it("it begins at the beginning a week after the last audit that did, and not a moment earlier", async () => {
    await stage.verify()
    const { owner, other } = stage.shop
    const marks = [owner, { ...owner, mode: "live" as const }, other].map(keys.auditedKey)
    const millis = (await Promise.all(marks.map((key) => stage.redis.hget(key, "full_at")))).map(Number)
    const resumed = await goOnAt(Math.min(...millis) + limits.auditFullAfterMillis - 1)
    const full = await goOnAt(Math.max(...millis) + limits.auditFullAfterMillis)

    expect([resumed.modesResumed, full.modesResumed]).toEqual([3, 0])
    expect(full.oldestFullMillis).toBe(Math.max(...millis) + limits.auditFullAfterMillis)
    await stage.verify()
  })

  it("it begins at the beginning where retention has removed the checkpoint's event", async () => {
    await stage.goOn()
    await stage.runtime.runPromise(liveCharge(stage.shop.owner))
    const report = await stage.restoring(
      [events],
      () => stage.redis.xtrim(events, "MAXLEN", 1),
      () => stage.goOn(),
    )

    expect(report.modesResumed).toBe(2)
  })

  it("a difference leaves the checkpoint where it was", async () => {
    await newCharge()
    const before = await stage.redis.hgetall(checkpoint)
    await stage.whileBroken([balance], () => stage.redis.hincrby(balance, "available", 1), false)

    expect(await stage.redis.hgetall(checkpoint)).toEqual(before)
  })
})

describe("damage that an audit from a checkpoint finds", () => {
  /** What an audit from a checkpoint finds where something newer is damaged. */
  const found = async (
    touched: (id: string) => ReadonlyArray<string>,
    damage: (id: string) => Promise<unknown>,
  ) => {
    const id = await newCharge()
    const { check, key } = await stage.whileBroken(touched(id), () => damage(id), false)
    return { check, key, id }
  }
  const hashOf = keys.transactionKey

  it("a newer entry that is gone, moves another amount or names another resource", async () => {
    const gone = await found(
      () => [ledger],
      async () => {
        const place = await last(ledger)
        await stage.rewrite(ledger, (values, i) => (i === place ? [] : values))
      },
    )
    const amount = await found(
      () => [ledger],
      async () => {
        const place = await last(ledger)
        await stage.rewrite(ledger, (values, i) =>
          i === place ? values.with(11, "available:1 external:-1") : values,
        )
      },
    )
    const other = await found(
      (id) => [ledger, hashOf(id)],
      async () => {
        const place = await last(ledger)
        const { pending } = stage.shop.charges
        await stage.rewrite(ledger, (values, i) => (i === place ? values.with(7, pending) : values))
      },
    )

    expect([gone.check, gone.key]).toEqual(["balance", balance])
    expect([amount.check, amount.key]).toEqual(["ledger", ledger])
    expect([other.check, other.key]).toEqual(["charge", hashOf(stage.shop.charges.pending)])
  })

  it("a newer entry that was written twice, whole in itself", async () => {
    const twice = await found(
      () => [ledger, balance],
      async () => {
        const [newest] = await stage.redis.xrevrange(ledger, "+", "-", "COUNT", 1)
        const [entryId = "", values = []] = newest ?? []
        const gained = Number(/available:(\d+)/.exec(values[11] ?? "")?.[1])
        const reserve = Number(/reserve:(\d+)/.exec(values[11] ?? "")?.[1])
        const external = Number(/external:(-\d+)/.exec(values[11] ?? "")?.[1])
        const fees = Number(/fees:(\d+)/.exec(values[11] ?? "")?.[1])
        const text = (values[13] ?? "")
          .replace(/available:(-?\d+)/, (_, sum) => `available:${Number(sum) + gained}`)
          .replace(/reserve:(-?\d+)/, (_, sum) => `reserve:${Number(sum) + reserve}`)
        const seq = String(Number(values[1]) + 1)
        await stage.redis.xadd(
          ledger,
          `${Number(entryId.split("-")[0]) + 60_000}-0`,
          ...values.with(1, seq).with(13, text),
        )
        for (const [name, by] of Object.entries({
          available: gained,
          reserve,
          external,
          fees,
          entries: 1,
          credits: 1,
          reserve_entries: 1,
        }))
          await stage.redis.hincrby(balance, name, by)
      },
    )

    expect([twice.check, twice.key]).toEqual(["charge", hashOf(twice.id)])
  })

  it("a newer charge's document, status, events, index or lost hash", async () => {
    const { sellerId, mode } = stage.shop.owner
    const index = keys.transactionsKey(sellerId, mode)
    const document = await found(
      (id) => [hashOf(id)],
      async (id) => {
        const text = (await stage.redis.hget(hashOf(id), "document")) ?? ""
        await stage.redis.hset(
          hashOf(id),
          "document",
          JSON.stringify({ ...JSON.parse(text), fee: 1, net_amount: 9_999 }),
        )
      },
    )
    const status = await found(
      (id) => [hashOf(id)],
      (id) => stage.redis.hset(hashOf(id), "status", "failed"),
    )
    const lost = await found(
      (id) => [hashOf(id)],
      (id) => stage.redis.del(hashOf(id)),
    )
    const unlisted = await found(
      () => [index, `${index}:paid`],
      async (id) => {
        await stage.redis.zrem(index, id)
        await stage.redis.zrem(`${index}:paid`, id)
      },
    )

    expect([document, status, lost].map(({ check, key, id }) => [check, key === hashOf(id)])).toEqual([
      ["charge", true],
      ["charge", false],
      ["feed", true],
    ])
    expect([unlisted.check, unlisted.key]).toEqual(["ledger", index])
  })

  it("a gap in the newer events, and a balance that is not the ledger's", async () => {
    const gap = await found(
      () => [events],
      async () => {
        const place = (await last(events)) - 1
        await stage.rewrite(events, (values, i) => (i === place ? [] : values))
      },
    )
    const fees = await found(
      () => [balance],
      () => stage.redis.hincrby(balance, "fees", 1),
    )

    expect([gap.check, gap.key]).toEqual(["feed", events])
    expect([fees.check, fees.key]).toEqual(["balance", balance])
  })

  it("the timer, the index and the document of what is open, however old", async () => {
    const { sellerId, mode } = stage.shop.owner
    const { pending } = stage.shop.charges
    await stage.goOn()
    const timers = keys.timersKey(keys.tagOf(sellerId))
    const timer = await stage.whileBroken(
      [timers],
      () => stage.redis.zrem(timers, `${pending}:expire`),
      false,
    )
    const index = keys.transactionsKey(sellerId, mode)
    const listed = await stage.whileBroken([index], () => stage.redis.zrem(index, pending), false)
    const hash = hashOf(pending)
    const seller = await stage.whileBroken([hash], () => stage.redis.hset(hash, "seller", "sel_0"), false)

    expect([timer.key, listed.key, seller.key]).toEqual([timers, index, hash])
  })

  it("a day's sums of withdrawals", async () => {
    const { owner, withdrawals } = stage.shop
    await stage.goOn()
    const day = (await stage.redis.hget(keys.withdrawalKey(withdrawals.open), "day")) ?? ""
    const sums = keys.withdrawalDayKey(owner, day)
    const counted = await stage.whileBroken([sums], () => stage.redis.hincrby(sums, "count", 1), false)

    expect(counted.key).toBe(sums)
  })
})

describe("what an audit from a checkpoint does not read", () => {
  it("damage to a charge that ended before it is left to an audit from the beginning, which finds it", async () => {
    const { refunded } = stage.shop.charges
    const hash = keys.transactionKey(refunded)
    await stage.goOn()
    const damage = () => stage.redis.hset(hash, "seller", "sel_0")
    const report = await stage.restoring([hash], damage, () => stage.goOn())
    const full = await stage.whileBroken([hash], damage)

    expect(report.modesResumed).toBe(3)
    expect(full.key).toBe(hash)
  })
})

describe("a checkpoint that does not match", () => {
  const mismatch = async (touched: string, damage: () => Promise<unknown>, isFull = false) => {
    await stage.goOn()
    const { check, key, sentence } = await stage.whileBroken([touched], damage, isFull)
    expect([check, key]).toEqual(["checkpoint", checkpoint])
    return sentence
  }

  it("its ledger entry is gone, has another seq or left another balance", async () => {
    const place = await last(ledger)
    const change = (how: (values: Array<string>) => ReadonlyArray<string>) => () =>
      stage.rewrite(ledger, (values, i) => (i === place ? how(values) : values))

    expect(
      await mismatch(
        ledger,
        change(() => []),
      ),
    ).toContain("none that can be read")
    expect(
      await mismatch(
        ledger,
        change((values) => values.with(1, "7")),
      ),
    ).toContain("found seq 7")
    expect(
      await mismatch(
        ledger,
        change((values) => values.with(13, "available:1 reserve:0 pending_withdraw:0")),
      ),
    ).toContain("found seq")
  })

  it("its event is gone or has another seq", async () => {
    const place = await last(events)
    const change = (how: (values: Array<string>) => ReadonlyArray<string>) => () =>
      stage.rewrite(events, (values, i) => (i === place ? how(values) : values))

    expect(
      await mismatch(
        events,
        change(() => []),
      ),
    ).toContain("found none")
    expect(
      await mismatch(
        events,
        change((values) => values.with(1, "7")),
      ),
    ).toContain("found seq 7")
  })

  it("it lacks a field, or has no number in it", async () => {
    for (const name of ["ledger", "event", "event_seq", "full_at", "available", "fees", "entries"]) {
      await mismatch(checkpoint, () => stage.redis.hdel(checkpoint, name))
    }
    for (const name of ["full_at", "reserve", "credits"]) {
      await mismatch(checkpoint, () => stage.redis.hset(checkpoint, name, "much"))
    }
  })

  it("an audit from the beginning finds other sums at its entry, or no such entry", async () => {
    const sums = await mismatch(checkpoint, () => stage.redis.hincrby(checkpoint, "fees", 1), true)
    const entry = await mismatch(checkpoint, () => stage.redis.hset(checkpoint, "ledger", "1-0"), true)

    expect(sums).toMatch(/added up: .*fees/)
    expect(entry).toContain("found no such entry")
    await stage.verify()
  })
})
