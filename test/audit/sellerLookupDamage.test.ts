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

describe("what sellers are found by", () => {
  it("an audit finds an entry that is missing or that no seller has, and words that are not its names', and a repair mends them", async () => {
    const { sellerId } = stage.shop.owner
    const index = keys.sellerLookupKeyOf(sellerId)
    const [own = ""] = (await stage.redis.zrange(index, "0", "-1")).filter((member) =>
      member.endsWith(sellerId),
    )
    const stranger = `n:nobody ${sellerId}`
    for (const [damage, change] of [
      [() => stage.redis.zrem(index, own), `${index} gains ${sellerId}`],
      [() => stage.redis.zadd(index, "0", stranger), `${index} loses ${stranger}`],
      [
        () => stage.redis.hset(keys.sellerKey(sellerId), "found_by", "n:nobody"),
        `${index} gains ${sellerId}`,
      ],
    ] as const) {
      const { check, indexes } = await mended(damage)
      expect([check, indexes]).toEqual(["seller", [change]])
    }
  })

  it("an audit finds a seller without its words, and a repair indexes it", async () => {
    const { sellerId } = stage.shop.owner
    const index = keys.sellerLookupKeyOf(sellerId)
    const { check, indexes } = await mended(async () => {
      const entries = (await stage.redis.zrange(index, "0", "-1")).filter((member) =>
        member.endsWith(sellerId),
      )
      await stage.redis.zrem(index, ...entries)
      await stage.redis.hdel(keys.sellerKey(sellerId), "found_by")
    })
    expect([check, indexes]).toEqual(["seller", [`${index} gains ${sellerId}`]])
  })
})
