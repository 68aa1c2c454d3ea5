import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { repairAll } from "../../src/audit/repair.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { claimOne, failedToRetry, record, succeeded } from "../conformance/attempts.ts"
import { openEndpoint } from "../conformance/fixtures.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"
import { liveCharge } from "./healthyShop.ts"

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

  for (const name of ["created", "paid", "amount"]) {
    it(`an audit finds a count of ${name} that is too high or missing, and a repair sets it`, async () => {
      const { key, field } = await aCount(name)
      for (const damage of [
        () => stage.redis.hincrby(key, field, 1),
        () => stage.redis.hdel(key, field),
        () => stage.redis.hset(key, field, "none"),
      ]) {
        const before = await stage.redis.hget(key, field)
        const { check, counters } = await mended(damage)
        expect([check, counters.length]).toEqual(["series", 1])
        expect(counters[0]).toContain(key)
        expect(await stage.redis.hget(key, field)).toBe(before)
      }
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

describe("counts of an endpoint's attempts", () => {
  let id = ""
  beforeAll(async () => {
    id = await stage.runtime.runPromise(
      Effect.gen(function* () {
        const { owner } = stage.shop
        const endpoint = yield* openEndpoint(owner)
        yield* liveCharge(owner, [{ kind: "expired" }])
        yield* record(yield* claimOne(endpoint.id), failedToRetry)
        yield* record(yield* claimOne(endpoint.id), succeeded)
        return endpoint.id
      }),
    )
  })
  /** The last hour that its series counted, and where its counts are. */
  const counted = async () => {
    const days = await stage.redis.keys(keys.endpointSeriesKey(id, "*"))
    const key = days.sort().at(-1) ?? ""
    const bytes = await stage.redis.getBuffer(key)
    const hourOfDay = Math.floor([...(bytes ?? [])].findLastIndex((byte) => byte > 0) / (58 * 3))
    const day = Number(key.slice(key.lastIndexOf(":") + 1))
    const [good, bad] = [`#${hourOfDay * 58}`, `#${hourOfDay * 58 + 1}`]
    const outcomes = () => stage.redis.call("BITFIELD_RO", key, "GET", "u24", good, "GET", "u24", bad)
    return { key, hour: day * 24 + hourOfDay, outcomes }
  }

  it("an audit finds attempts that an earlier build counted in the endpoint's statistics alone, and a repair counts them", async () => {
    const { key, hour, outcomes } = await counted()
    expect(await outcomes()).toEqual([1, 1])
    // Of the first hour that is counted a part may be missing.
    const day = keys.endpointSeriesKey(id, Math.floor((hour - 1) / 24))
    await stage.redis.call("BITFIELD", day, "SET", "u24", `#${((hour - 1) % 24) * 58}`, "1")
    const stats = keys.endpointStatsKey(id)
    const { check, counters } = await mended(() => stage.redis.hset(stats, `${hour}`, 5, `${hour}:ok`, 3))
    expect([check, counters.length]).toEqual(["series", 1])
    expect(counters[0]).toContain(key)
    expect(await outcomes()).toEqual([3, 2])
  })

  it("attempts that the series alone has, or that precede its first hour, are no difference; a repair counts the latter", async () => {
    const { hour, outcomes } = await counted()
    const before = await outcomes()
    const stats = keys.endpointStatsKey(id)
    await stage.redis.del(stats)
    await stage.redis.hset(stats, `${hour}`, 1, `${hour - 3}`, 1, `${hour - 3}:ok`, 1)
    await stage.verify()
    expect((await repair()).counters).toHaveLength(1)
    expect(await outcomes()).toEqual(before)
    expect((await repair()).counters).toHaveLength(0)
  })
})
