import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ReportStore, type StoredReport } from "../../actors/ports/reportStore.ts"
import { makeId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { repairAll } from "../../src/audit/repair.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { freshIdBeside } from "../conformance/fixtures.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"
import { liveCharge } from "./healthyShop.ts"

let stage: AuditStage
let queue: string
beforeAll(async () => {
  stage = await startAuditStage()
  queue = keys.timersKey(keys.tagOf(stage.shop.owner.sellerId))
})
afterAll(() => stage.stop())

const repair = () =>
  stage.runtime.runPromise(Effect.map(Effect.flatMap(RedisClient, repairAll), ({ timers }) => timers))

/** Removes a timer, which an audit must find and a repair set again; returns when it is due then. */
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

describe("missing timers", () => {
  it("a pending charge's missing expiry is found, and repaired to when it expires", async () => {
    const id = stage.shop.charges.pending
    const due = await loseAndRepair("charge", `${id}:expire`)
    expect(due).toBe(Date.parse((await documentOf(id)).expires_at))
  })

  it("a held charge's missing release is found, and repaired to its release time", async () => {
    const id = stage.shop.charges.held
    const due = await loseAndRepair("charge", `${id}:release`)
    expect(due).toBe(Date.parse((await documentOf(id)).reserve.release_at))
  })

  it("a report's missing timer is found, and repaired to when it is due; one that nobody gets needs none", async () => {
    const { sellerId, mode } = stage.shop.owner
    const report = (nextMillis: number) =>
      Effect.gen(function* () {
        const id = yield* freshIdBeside("rpt_", sellerId)
        const stored: StoredReport = {
          ...{ id, sellerId, mode, kind: "refunds", format: "csv", locale: "en", every: "day" },
          ...{ recipients: "enc:v2:k:sealed", createdAt: "", nextMillis, last: undefined },
        }
        const store = yield* ReportStore
        yield* store.create(stored, 9)
        return { store, stored }
      })
    const dueMillis = Date.now() + 86_400_000
    const { stored } = await stage.runtime.runPromise(report(dueMillis))
    const ended = report(dueMillis).pipe(
      Effect.flatMap(({ store, stored }) => store.changeRecipients(stored, "enc:v2:k:none", true)),
    )
    await stage.runtime.runPromise(ended)
    expect(await loseAndRepair("report", `${stored.id}:report`)).toBe(dueMillis)
  })

  it("an approved withdrawal's missing payment is found, and repaired to be due at once", async () => {
    const due = await loseAndRepair("withdrawal", `${stage.shop.withdrawals.open}:pay`)
    expect(due).toBeLessThanOrEqual(Date.now())
  })

  it("a refund's missing sending or poll is found, and repaired to be due at once", async () => {
    const { pending, processing } = stage.shop.refunds
    for (const member of [`${pending}:send_refund`, `${processing}:poll_refund`]) {
      expect(await loseAndRepair("refund", member)).toBeLessThanOrEqual(Date.now())
    }
  })

  it("a notice's missing processing is found and repaired, unless it is done, given up or badly signed", async () => {
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

  it("a rotated API key's missing end is found, and repaired to when it ends", async () => {
    const { sellerId, mode } = stage.shop.owner
    const [[id, hash] = []] = Object.entries(await stage.redis.hgetall(keys.apiKeysKey(sellerId, mode)))
    const revokeAt = Date.now() + 60_000
    await stage.redis.hset(keys.apiKeyKey(keys.partitionOf(sellerId), hash ?? ""), "revoke_at", revokeAt)
    const member = `${id}:revoke:${sellerId}:${mode}`
    await stage.redis.zadd(queue, 1, member)
    expect(await loseAndRepair("api_key", member)).toBe(revokeAt)
  })

  it("a missing timer of test mode is repaired by the seller's own clock", async () => {
    const { sellerId } = stage.shop.owner
    await stage.redis.set(keys.clockKey(sellerId), 3_600_000)
    const id = await stage.runtime.runPromise(liveCharge(stage.shop.owner))
    const due = await loseAndRepair("charge", `${id}:expire`)
    await stage.redis.del(keys.clockKey(sellerId))
    expect(due).toBe(Date.parse((await documentOf(id)).expires_at) - 3_600_000)
  })
})

describe("ops audit repair", () => {
  it("an audit's repair sets nothing where no timer is missing, and does not touch money", async () => {
    const key = keys.balanceKey(stage.shop.owner)
    const before = await stage.redis.hgetall(key)
    await stage.redis.hincrby(key, "available", 1)
    expect(await repair()).toEqual([])
    expect(await stage.redis.hget(key, "available")).toBe(String(Number(before.available) + 1))
    await stage.redis.hincrby(key, "available", -1)
  })
})
