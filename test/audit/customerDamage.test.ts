import { Effect } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CustomerStore } from "../../actors/ports/customerStore.ts"
import { customerDigestOf, customerIdOf } from "../../schema/ids.ts"
import { repairAll } from "../../src/audit/repair.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"
import { type ChargeStep, liveCharge, liveCustomer } from "./healthyShop.ts"
import { liveRefund } from "./liveRefunds.ts"

let stage: AuditStage
beforeAll(async () => {
  stage = await startAuditStage()
})
afterAll(() => stage.stop())

const feed = () => {
  const { sellerId, mode } = stage.shop.owner
  return { sellerId, mode }
}
const sums = () => keys.customersKey(feed())
const repair = (customerOf?: Parameters<typeof repairAll>[2]) =>
  stage.runtime.runPromise(Effect.flatMap(RedisClient, (client) => repairAll(client, undefined, customerOf)))

/** Damages, which an audit must find; returns what a repair mends, after which an audit passes. */
const mended = async (damage: () => Promise<unknown>) => {
  await damage()
  const { check } = await stage.difference()
  const { counters } = await repair()
  await stage.verify()
  const again = await repair()
  expect([again.counters, again.indexes]).toEqual([[], []])
  return { check, counters }
}

const amount = 10_000

interface Life {
  readonly steps: ReadonlyArray<ChargeStep>
  readonly refund: number
}

/** Lives of a charge of 100.00: the steps, then a seller's refund, of which the bank makes this much. */
const life: fc.Arbitrary<Life> = fc.oneof(
  fc.constant({ steps: [], refund: 0 }),
  fc.constantFrom("expired" as const, "failed" as const).map((kind) => ({ steps: [{ kind }], refund: 0 })),
  fc
    .record({
      isLate: fc.boolean(),
      reserveBps: fc.constantFrom(0, 1_000),
      parts: fc.array(
        fc.record({
          kind: fc.constantFrom("refund" as const, "chargeback" as const),
          amount: fc.integer({ min: 1, max: amount / 4 }),
        }),
        { maxLength: 3 },
      ),
      refund: fc.integer({ min: 0, max: amount / 4 }),
    })
    .map(({ isLate, reserveBps, parts, refund }) => ({
      steps: [
        ...(isLate ? [{ kind: "expired" as const }] : []),
        { kind: "paid" as const, reserveBps },
        ...parts,
      ],
      refund,
    })),
)
const customers = ["B1A00000000001", "CLE00000000002", "DVDA0000000003"]

describe("customers", () => {
  it("sums of customers are those of their charges, whatever becomes of these", async () => {
    const lives = fc.array(fc.record({ customer: fc.constantFrom(...customers), life }), { maxLength: 8 })
    const expected = new Map(customers.map((customer) => [customer, { charges: 0, paid: 0, refunded: 0 }]))
    const run = async (all: ReadonlyArray<{ readonly customer: string; readonly life: Life }>) => {
      for (const { customer, life } of all) {
        await stage.runtime.runPromise(
          Effect.gen(function* () {
            const id = yield* liveCharge(stage.shop.owner, life.steps, undefined, undefined, customer)
            if (life.refund > 0) {
              yield* liveRefund(stage.shop.owner, id, life.refund, ["processing", "succeeded"])
              yield* liveRefund(stage.shop.owner, id, 1, ["processing", "failed"])
            }
          }),
        )
        const of = expected.get(customer)
        if (of === undefined) throw new Error("nobody")
        of.charges += 1
        if (life.steps.some(({ kind }) => kind === "paid")) of.paid += amount
        of.refunded += life.refund
        for (const step of life.steps) if ("amount" in step) of.refunded += step.amount
      }
      const found = await stage.runtime.runPromise(
        Effect.flatMap(CustomerStore, (store) => store.read(stage.shop.owner, customers)),
      )
      if ("kind" in found) throw new Error(found.kind)
      expect(
        found.map((one) => ({
          charges: one?.charges ?? 0,
          paid: one?.paidAmount ?? 0,
          refunded: one?.refundedAmount ?? 0,
        })),
      ).toEqual([...expected.values()])
    }
    await fc.assert(fc.asyncProperty(lives, run), { numRuns: 12 })
    await stage.verify()
  })

  it("an audit finds sums that are wrong, missing, unreadable or nobody's, and a repair sets them", async () => {
    const before = await stage.redis.hget(sums(), liveCustomer)
    expect(before).toMatch(/^\d+ \d+$/)
    for (const damage of [
      () => stage.redis.hset(sums(), liveCustomer, "1 0"),
      () => stage.redis.hset(sums(), liveCustomer, "none"),
      () => stage.redis.hdel(sums(), liveCustomer),
      () => stage.redis.hset(sums(), "N0B0DY00000000", "1 0"),
    ]) {
      const { check, counters } = await mended(damage)
      expect([check, counters.length]).toEqual(["customer", 1])
      expect(await stage.redis.hget(sums(), liveCustomer)).toBe(before)
      expect(await stage.redis.hexists(sums(), "N0B0DY00000000")).toBe(0)
    }
  })

  it("an audit finds a charge that the index of customers lacks, or has for somebody else", async () => {
    const charge = stage.shop.charges.partly
    const lookup = keys.lookupKey(feed())
    for (const damage of [
      () => stage.redis.zrem(lookup, `${liveCustomer} ${charge}`),
      () => stage.redis.zadd(lookup, 0, `N0B0DY00000000 ${charge}`),
    ]) {
      await damage()
      expect((await stage.difference()).check).toBe("lookup")
      await repair()
      await stage.verify()
    }
  })

  it("a repair lets charges that name nobody name their customer, and counts them", async () => {
    const charge = stage.shop.charges.partly
    const before = await stage.redis.hget(sums(), liveCustomer)
    await stage.redis.hdel(keys.transactionKey(charge), "customer")
    await repair()
    await stage.verify()
    expect(await stage.redis.hget(sums(), liveCustomer)).not.toBe(before)
    const { indexes } = await repair(() => liveCustomer)
    expect(indexes).toEqual([`${keys.lookupKey(feed())} gains ${liveCustomer} ${charge}`])
    await stage.verify()
    expect(await stage.redis.hget(sums(), liveCustomer)).toBe(before)
  })
})

describe("ids of customers", () => {
  it("an id leads to its digest in its own feed alone", () => {
    const { sellerId } = stage.shop.owner
    const id = customerIdOf({ sellerId, mode: "test" }, liveCustomer)
    expect(customerDigestOf({ sellerId, mode: "test" }, id)).toBe(liveCustomer)
    expect(customerDigestOf({ sellerId, mode: "live" }, id)).toBeUndefined()
    expect(customerDigestOf({ sellerId: stage.shop.other.sellerId, mode: "test" }, id)).toBeUndefined()
    for (const text of ["", "cus_", id.slice(0, -1), `${id}0`, id.toLowerCase(), id.replace("cus", "txn")]) {
      expect(customerDigestOf({ sellerId, mode: "test" }, text)).toBeUndefined()
    }
  })
})
