import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Ledger } from "../../actors/ports/ledger.ts"
import { repairAll } from "../../src/audit/repair.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"
import { liveCharge } from "./healthyShop.ts"

let stage: AuditStage
beforeAll(async () => {
  stage = await startAuditStage()
})
afterAll(() => stage.stop())

const repair = () => stage.runtime.runPromise(Effect.flatMap(RedisClient, repairAll))
const key = () => keys.releasesKey(stage.shop.owner)
const calendar = () => stage.redis.hgetall(key())

const releases = () =>
  stage.runtime.runPromise(Effect.flatMap(Ledger, (ledger) => ledger.releases(stage.shop.owner)))

const pay = (reserveBps: number) =>
  stage.runtime.runPromise(liveCharge(stage.shop.owner, [{ kind: "paid", reserveBps }]))

/** The first field that is a day. */
const aDay = async () => {
  const day = Object.keys(await calendar()).find((field) => /^\d{4}-\d{2}-\d{2}$/.test(field))
  return day ?? expect.fail("nothing is to be released")
}

describe("the calendar of releases", () => {
  it("has as much as the reserve, and an audit passes", async () => {
    await pay(1_000)
    await stage.verify()
    const found = await releases()
    if ("kind" in found) return expect.fail(found.kind)
    expect(found.reserve).toBeGreaterThan(0)
    expect(found.days?.reduce((sum, { amount }) => sum + amount, 0)).toBe(found.reserve)
  })

  const damages: ReadonlyArray<readonly [what: string, damage: (day: string) => Promise<unknown>]> = [
    ["day that has too much", (day) => stage.redis.hincrby(key(), day, 1)],
    ["day that is missing", (day) => stage.redis.hdel(key(), day)],
    ["count of charges that is wrong", (day) => stage.redis.hincrby(key(), `${day}:charges`, 1)],
    [
      "day that has another one's money",
      (day) =>
        stage.redis.hset(key(), day, 1, "2030-01-01", 1).then(async () => {
          const held = Number(await stage.redis.hget(key(), "held"))
          await stage.redis.hset(key(), day, held - 1)
        }),
    ],
  ]
  for (const [what, damage] of damages) {
    it(`an audit finds a ${what}, and a repair sets it`, async () => {
      const before = await calendar()
      await damage(await aDay())
      expect(await stage.difference()).toMatchObject({ check: "balance", key: key() })
      expect((await repair()).counters).toEqual([expect.stringContaining(key())])
      expect(await calendar()).toEqual(before)
      await stage.verify()
      expect((await repair()).counters).toEqual([])
    })
  }

  it("is not known where a build without calendars has held money, until a repair", async () => {
    const before = await calendar()
    await stage.redis.del(key())
    const unknown = { reserve: Number(before.held), days: undefined }
    expect(await releases()).toEqual(unknown)
    await stage.verify()
    await pay(1_000)
    expect(await calendar()).toEqual({})
    expect(await releases()).toMatchObject({ days: undefined })
    expect((await repair()).counters).toEqual([expect.stringContaining(key())])
    expect(Number((await calendar()).held)).toBeGreaterThan(unknown.reserve)
    await stage.verify()
  })

  it("is dropped where a build without calendars has released money beside it", async () => {
    await stage.redis.hincrby(key(), "held", 7)
    expect(await releases()).toMatchObject({ days: undefined })
    await pay(1_000)
    expect(await calendar()).toEqual({})
    await repair()
    await stage.verify()
    expect(await releases()).toMatchObject({ days: [{}] })
  })
})
