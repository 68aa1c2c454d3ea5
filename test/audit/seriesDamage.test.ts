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
  const aSeries = async () => {
    const [key = ""] = await stage.redis.keys(keys.endpointSeriesKey(id, "*"))
    return { id, key }
  }

  it("an audit finds an outcome that was counted too often, and a repair sets it to the endpoint's statistics", async () => {
    const { key } = await aSeries()
    const before = await stage.redis.getBuffer(key)
    const at = [...(before ?? [])].findIndex((byte) => byte > 0)
    const { check, counters } = await mended(() => stage.redis.setrange(key, at, Buffer.from([99])))
    expect([check, counters.length]).toEqual(["series", 1])
    expect(counters[0]).toContain(key)
    expect(await stage.redis.getBuffer(key)).toEqual(before)
  })

  it("an audit finds an hour that is missing after the first that was counted, and none that is missing before it", async () => {
    const { id, key } = await aSeries()
    const stats = keys.endpointStatsKey(id)
    const hours = Object.keys(await stage.redis.hgetall(stats)).map((field) => Number.parseInt(field, 10))
    const [earlier, later] = [Math.min(...hours) - 2, Math.max(...hours)]
    const day = key.slice(0, key.lastIndexOf(":"))
    const set = (hour: number, count: number) =>
      stage.redis.call(
        ...[
          "BITFIELD",
          `${day}:${Math.floor(hour / 24)}`,
          "SET",
          "u24",
          `#${(hour % 24) * 58}`,
          String(count),
        ],
      )
    // Counted by the build before: the series begins later, and a repair fills it in.
    await stage.redis.hset(stats, String(earlier), "1", `${earlier}:ok`, "1")
    await stage.verify()
    expect((await repair()).counters).toHaveLength(1)
    const good = await stage.redis.hget(stats, `${later}:ok`)
    const { check } = await mended(() => set(later, Number(good ?? 0) + 1))
    expect(check).toBe("series")
    const lost = await mended(() => stage.redis.hincrby(stats, String(later), 1))
    expect(lost.counters).toHaveLength(1)
  })
})
