import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { verifyAll } from "../../src/audit/verify.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"
import { liveCharge } from "./healthyShop.ts"

let stage: AuditStage
beforeAll(async () => {
  stage = await startAuditStage()
})
afterAll(() => stage.stop())

describe("an audit of what the service wrote", () => {
  it("an audit of a healthy shop passes and counts what it looked at", async () => {
    const before = Date.now()
    const { tookMillis, oldestFullMillis, ...report } = await stage.verify()

    expect(report).toEqual({
      sellers: 2,
      ledgerEntries: 33,
      transactions: 13,
      withdrawals: 4,
      refunds: 12,
      pixKeys: 3,
      events: 61,
      modesResumed: 0,
    })
    expect(oldestFullMillis).toBeGreaterThanOrEqual(before)
    expect(tookMillis).toBeGreaterThanOrEqual(0)
  })

  it("an audit passes where retention has removed the oldest events", async () => {
    const { owner } = stage.shop
    const events = keys.eventsKey(owner)
    const before = await stage.redis.dumpBuffer(events)
    await stage.redis.xtrim(events, "MAXLEN", 7)
    const { events: kept } = await stage.verify()
    await stage.redis.restore(events, 0, before ?? "", "REPLACE")

    expect(kept).toBe(11)
  })

  it("an audit passes where retention has removed all events of a feed, and not where the feed is gone", async () => {
    const { owner } = stage.shop
    const events = keys.eventsKey(owner)
    const before = await stage.redis.dumpBuffer(events)
    await stage.redis.xtrim(events, "MAXLEN", 0)
    const { events: kept } = await stage.verify()
    const gone = await stage.whileBroken([events], () => stage.redis.del(events))
    await stage.redis.restore(events, 0, before ?? "", "REPLACE")

    expect(kept).toBe(4)
    expect(gone.key).toBe(keys.feedKey(owner))
  })

  it("an audit reads a ledger from its beginning once, and once more for all whose entries are late, not for each", async () => {
    const { owner } = stage.shop
    const whole = [keys.ledgerKey(owner), "-"]
    const [{ calls }] = await stage.counted((client) => verifyAll(client))
    const beginnings = calls.filter(
      ({ name, args }) => name === "XRANGE" && `${args.slice(0, 2)}` === `${whole}`,
    )

    // Entries are looked for near the times of their documents; a stalled machine writes some later.
    expect(beginnings.length).toBeGreaterThanOrEqual(1)
    expect(beginnings.length).toBeLessThanOrEqual(2)
  })

  it("an audit passes while charges are created, paid and refunded", async () => {
    const { owner } = stage.shop
    const trade = Effect.forEach(
      Array.from({ length: 300 }, (_, i) => i),
      (i) =>
        liveCharge(owner, [
          { kind: "paid", reserveBps: i % 2 === 0 ? 0 : 1_000 },
          { kind: "refund", amount: 100 },
        ]),
      { concurrency: 30 },
    )
    const audit = Effect.flatMap(RedisClient, (client) => verifyAll(client))
    const audits = Effect.repeat(audit, { times: 8 })

    await stage.runtime.runPromise(Effect.all([trade, audits], { concurrency: 2 }))
    const { transactions, ledgerEntries } = await stage.verify()
    expect([transactions, ledgerEntries]).toEqual([313, 633])
  })
})
