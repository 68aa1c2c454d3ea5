import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { repairAll } from "../../src/audit/repair.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"

let stage: AuditStage
beforeAll(async () => {
  stage = await startAuditStage()
})
afterAll(() => stage.stop())

const repair = () => stage.runtime.runPromise(Effect.flatMap(RedisClient, repairAll))

/** Damages, which an audit must find; returns what a repair mends, after which an audit passes. */
const mended = async (damage: () => Promise<unknown>) => {
  await damage()
  const { check } = await stage.difference()
  const { counters, indexes } = await repair()
  await stage.verify()
  const again = await repair()
  expect([again.counters, again.indexes]).toEqual([[], []])
  return { check, counters, indexes }
}

const feed = () => {
  const { sellerId, mode } = stage.shop.owner
  return { sellerId, mode }
}

describe("counts that plots show", () => {
  const aCount = async (name: string) => {
    for (const key of await stage.redis.keys(keys.seriesKey(feed(), "*"))) {
      const field = Object.keys(await stage.redis.hgetall(key)).find((one) => one.endsWith(`:${name}`))
      if (field !== undefined) return { key, field }
    }
    throw new Error(`nothing was counted as ${name}`)
  }

  const damaged = async (
    name: string,
    damages: ReadonlyArray<(key: string, field: string) => Promise<unknown>>,
  ) => {
    const { key, field } = await aCount(name)
    for (const damage of damages) {
      const before = await stage.redis.hget(key, field)
      const { check, counters } = await mended(() => damage(key, field))
      expect([check, counters.length]).toEqual(["series", 1])
      expect(counters[0]).toContain(key)
      expect(await stage.redis.hget(key, field)).toBe(before)
    }
  }
  const higher = (key: string, field: string) => stage.redis.hincrby(key, field, 1)
  const missing = (key: string, field: string) => stage.redis.hdel(key, field)
  const unreadable = (key: string, field: string) => stage.redis.hset(key, field, "none")

  for (const name of ["created", "paid", "amount"]) {
    it(`an audit finds a count of ${name} that is too high or missing, and a repair sets it`, () =>
      damaged(name, [higher, missing, unreadable]))
  }

  for (const name of ["refunded", "refunded_amount", "disputed", "disputed_amount"]) {
    it(`an audit finds a count of ${name} that is too high, and a repair sets it`, () =>
      damaged(name, [higher, unreadable]))

    it(`a count of ${name} that an older build has not made is no difference, and a repair makes it`, async () => {
      const { key, field } = await aCount(name)
      const before = await stage.redis.hget(key, field)
      await missing(key, field)
      await stage.verify()
      expect((await repair()).counters).toEqual([expect.stringContaining(key)])
      expect(await stage.redis.hget(key, field)).toBe(before)
    })
  }
})

describe("what charges are found by", () => {
  it("an audit finds an entry that is missing or that no charge has, and a repair mends both", async () => {
    const index = keys.lookupKey(feed())
    const [first = ""] = await stage.redis.zrange(index, "0", "0")
    const missing = await mended(() => stage.redis.zrem(index, first))
    expect(missing).toMatchObject({ check: "lookup", indexes: [`${index} gains ${first}`] })
    const wrong = `${"x".repeat(16)} ${first.split(" ")[1]}`
    for (const stranger of [wrong, `${first.split(" ")[0]} txn_unknown`]) {
      const surplus = await mended(() => stage.redis.zadd(index, 0, stranger))
      expect(surplus).toMatchObject({ check: "lookup", indexes: [`${index} loses ${stranger}`] })
    }
  })
})
