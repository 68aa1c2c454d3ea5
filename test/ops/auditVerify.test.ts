import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ErrorEnvelope } from "../../schema/errors.ts"
import * as keys from "../../src/store/keys.ts"
import { type AuditStage, startAuditStage } from "../audit/auditStage.ts"
import { runOps } from "./cli.ts"

let stage: AuditStage
beforeAll(async () => {
  stage = await startAuditStage()
})
afterAll(() => stage.stop())

const environment = () => ({
  REDIS_URL: stage.url,
  ENCRYPTION_KEY: Buffer.alloc(32, 9).toString("base64"),
})

const auditVerify = (...flags: ReadonlyArray<string>) => runOps(["audit", "verify", ...flags], environment())

describe("ops audit verify", () => {
  it("ops audit verify prints how much it checked, and exits with 0", async () => {
    const { exitCode, document, stderr } = await auditVerify()

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    expect(document).toEqual({
      ok: true,
      sellers: 2,
      from_checkpoints: 0,
      oldest_full_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      ledger_entries: 33,
      transactions: 13,
      withdrawals: 4,
      refunds: 12,
      pix_keys: 3,
      events: 61,
      took_ms: expect.any(Number),
    })
  })

  it("ops audit verify goes on where it ended, and begins at the beginning with --full", async () => {
    const resumed = (await auditVerify()).document
    const full = (await auditVerify("--full")).document

    expect([resumed.from_checkpoints, resumed.ledger_entries, resumed.events]).toEqual([3, 0, 0])
    expect([full.from_checkpoints, full.ledger_entries, full.events]).toEqual([0, 33, 61])
    expect(full.oldest_full_at > resumed.oldest_full_at).toBe(true)
  })

  it("ops audit verify leaves its result to the service's processes", async () => {
    const key = keys.balanceKey(stage.shop.owner)
    await stage.redis.hincrby(key, "fees", 1)
    await auditVerify()
    const after = await stage.redis.hgetall(keys.auditResultKey)
    await stage.redis.hincrby(key, "fees", -1)
    await auditVerify()

    expect(after.differing_check).toBe("balance")
    expect(await stage.redis.hgetall(keys.auditResultKey)).toMatchObject({ differing_check: "" })
  })

  it("ops audit verify exits with 1 at a difference, and names the check, the key, what it expected and found", async () => {
    const key = keys.balanceKey(stage.shop.owner)
    const available = Number(await stage.redis.hget(key, "available"))
    await stage.redis.hset(key, "available", available + 1)
    const { exitCode, document } = await auditVerify()
    await stage.redis.hset(key, "available", available)

    expect(exitCode).toBe(1)
    expect(Schema.is(ErrorEnvelope)(document)).toBe(true)
    expect(document.error).toMatchObject({
      type: "internal_error",
      code: "internal_error",
      message: `The audit of balance found a difference at ${key}: expected available ${available}, found "${available + 1}".`,
      details: {
        check: "balance",
        key,
        expected: `available ${available}`,
        found: `"${available + 1}"`,
      },
    })
  })

  it("ops audit verify finds a missing timer, which ops audit repair sets again", async () => {
    const { owner, charges } = stage.shop
    const [queue, member] = [keys.timersKey(keys.tagOf(owner.sellerId)), `${charges.pending}:expire`]
    await stage.redis.zrem(queue, member)
    expect((await auditVerify()).document.error.details).toMatchObject({ check: "charge", key: queue })
    const repaired = await runOps(["audit", "repair"], environment())
    expect(repaired.exitCode).toBe(0)
    expect(repaired.document).toEqual({
      ...{ ok: true, timers_set: 1, indexes_mended: 0, counters_mended: 0, refused_count: 0 },
      ...{ timers: [member], indexes: [], counters: [], refused: [] },
    })
    expect((await auditVerify()).exitCode).toBe(0)
  })

  it("ops audit repair names the money that it must leave, and is not ok then", async () => {
    const key = keys.balanceKey(stage.shop.owner)
    const before = await stage.redis.hgetall(key)
    await stage.redis.hincrby(key, "available", 1)
    const { document } = await runOps(["audit", "repair"], environment())
    const after = await stage.redis.hgetall(key)
    await stage.redis.hset(key, before)

    expect(document).toMatchObject({ ok: false, refused_count: 1, counters_mended: 0 })
    expect(document.refused[0]).toContain(
      `The audit of balance found a difference at ${key}: expected available`,
    )
    expect(after.available).toBe(String(Number(before.available) + 1))
  })

  it("ops audit verify shows neither the document nor the customer of a charge that it cannot read", async () => {
    const key = keys.transactionKey(stage.shop.charges.held)
    const document = (await stage.redis.hget(key, "document")) ?? ""
    await stage.redis.hset(key, "document", document.replace('"fee":109', '"fee":"109"'))
    const done = await auditVerify("--full")
    await stage.redis.hset(key, "document", document)

    expect(done.document.error.details).toEqual({
      check: "charge",
      key,
      expected: "a readable document",
      found: "an unreadable one",
    })
    expect(done.stdout + done.stderr).not.toMatch(/secret-document|ana@example/)
  })
})
