import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { repairAll } from "../../src/audit/repair.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"
import { liveCharge } from "./healthyShop.ts"

let stage: AuditStage
let queue: string
beforeAll(async () => {
  stage = await startAuditStage()
  queue = keys.timersKey(keys.tagOf(stage.shop.owner.sellerId))
})
afterAll(() => stage.stop())

const repair = () => stage.runtime.runPromise(Effect.flatMap(RedisClient, repairAll))

/** Loses a timer, which an audit must find and a repair set again; answers when it is due then. */
const loseAndRepair = async (check: string, member: string): Promise<number> => {
  expect(await stage.redis.zrem(queue, member)).toBe(1)
  const { check: found, key, expected } = await stage.difference()
  expect([found, key]).toEqual([check, queue])
  expect(expected).toContain(`timer ${member} `)
  const before = await stage.redis.zrange(queue, "0", "-1")
  expect(await repair()).toEqual([member])
  expect((await stage.redis.zrange(queue, "0", "-1")).toSorted()).toEqual([...before, member].toSorted())
  await stage.verify()
  return Number(await stage.redis.zscore(queue, member))
}

const documentOf = async (id: string) =>
  JSON.parse((await stage.redis.hget(keys.transactionKey(id), "document")) ?? "")

describe("a timer that should be there and is not", () => {
  it("is a difference: a pending charge's expiry, which is set for when it expires", async () => {
    const id = stage.shop.charges.pending
    const due = await loseAndRepair("charge", `${id}:expire`)
    expect(due).toBe(Date.parse((await documentOf(id)).expires_at))
  })

  it("is a difference: the release of what a charge holds in the reserve", async () => {
    const id = stage.shop.charges.held
    const due = await loseAndRepair("charge", `${id}:release`)
    expect(due).toBe(Date.parse((await documentOf(id)).reserve.release_at))
  })

  it("is a difference: what takes an approved withdrawal on, which is due at once", async () => {
    const due = await loseAndRepair("withdrawal", `${stage.shop.withdrawals.open}:pay`)
    expect(due).toBeLessThanOrEqual(Date.now())
  })

  it("is a difference: the processing of a notice, unless it is done, given up or has a bad signature", async () => {
    const tag = keys.tagOf(stage.shop.owner.sellerId)
    const write = async (place: number, fields: Record<string, string>) => {
      const id = makeId(
        "inb_",
        Date.now(),
        keys.partitionOf(stage.shop.owner.sellerId),
        new Uint8Array(14).fill(place),
      )
      await stage.redis.hset(keys.noticeKey(id), {
        ...{ signature_valid: "1", processed_at: "", attempts: "0", received_at: "2026-11-21T00:00:00.000Z" },
        ...fields,
      })
      await stage.redis.zadd(keys.noticesKey(tag, "unprocessed"), 0, id)
      return id
    }
    await write(1, { attempts: String(limits.noticeAttemptsMax) })
    await write(2, { processed_at: "2026-11-21T00:00:00.000Z" })
    await write(3, { signature_valid: "0" })
    await stage.verify()
    const id = await write(4, { attempts: String(limits.noticeAttemptsMax - 1) })
    await stage.redis.zadd(queue, 1, `${id}:process`)
    await loseAndRepair("inbox", `${id}:process`)
  })

  it("is a difference: the end of an API key that was rotated", async () => {
    const { sellerId, mode } = stage.shop.owner
    const [[id, hash] = []] = Object.entries(await stage.redis.hgetall(keys.apiKeysKey(sellerId, mode)))
    const revokeAt = Date.now() + 60_000
    await stage.redis.hset(keys.apiKeyKey(keys.partitionOf(sellerId), hash ?? ""), "revoke_at", revokeAt)
    const member = `${id}:revoke:${sellerId}:${mode}`
    await stage.redis.zadd(queue, 1, member)
    expect(await loseAndRepair("api_key", member)).toBe(revokeAt)
  })

  it("is set for the seller's own clock in test mode", async () => {
    const { sellerId } = stage.shop.owner
    await stage.redis.set(keys.clockKey(sellerId), 3_600_000)
    const id = await stage.runtime.runPromise(liveCharge(stage.shop.owner))
    const due = await loseAndRepair("charge", `${id}:expire`)
    await stage.redis.del(keys.clockKey(sellerId))
    expect(due).toBe(Date.parse((await documentOf(id)).expires_at) - 3_600_000)
  })
})

describe("ops audit repair", () => {
  it("sets nothing where nothing is missing, and never touches money", async () => {
    const key = keys.balanceKey(stage.shop.owner)
    const before = await stage.redis.hgetall(key)
    await stage.redis.hincrby(key, "available", 1)
    expect(await repair()).toEqual([])
    expect(await stage.redis.hget(key, "available")).toBe(String(Number(before.available) + 1))
    await stage.redis.hincrby(key, "available", -1)
  })
})
