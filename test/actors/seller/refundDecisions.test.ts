import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { RefundPreconditions } from "../../../actors/ports/refundStore.ts"
import { newStoredSeller } from "../../../actors/seller/decisions/newSeller.ts"
import { decideRefund, refundCreation } from "../../../actors/seller/decisions/refundDecisions.ts"
import { ApiError } from "../../../schema/errors.ts"
import type { Mode } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { CreateRefund } from "../../../schema/resources/refund.ts"
import { type Transaction, transactionStatuses } from "../../../schema/resources/transaction.ts"
import { madeTraceId } from "../../../schema/trace.ts"
import { atMillis, nowMillis, nowText, sellerId, storedCharge } from "../support/charges.ts"
import { refundId } from "../support/refundDocuments.ts"

const seller = newStoredSeller({
  ...{ id: sellerId, name: "Loja Um", userId: "u1", kycStatus: "approved", createdAt: nowText },
})
const releaseAt = new Date(nowMillis + 1_000).toISOString()

const charge = (changes: Partial<Transaction> = {}, mode: Mode = "test") => ({
  ...storedCharge("paid", { paid_at: nowText, end_to_end_id: "E1", ...changes }),
  mode,
})
const fine: RefundPreconditions = {
  seller,
  transaction: charge(),
  refunding: 0,
  refunds: 0,
  available: 1_000,
  reserve: 0,
}
const decide = (changes: Partial<RefundPreconditions>, body: CreateRefund = {}, at = nowMillis) =>
  decideRefund(body, { ...fine, ...changes }, at)
const refusal = (...given: Parameters<typeof decide>) => {
  const decision = decide(...given)
  if (!(decision instanceof ApiError)) return decision
  const { code, status, details, param } = decision
  return { code, status, details, param }
}

describe("a request for a refund", () => {
  it("a refund is of all that is left of the charge where no amount is given", () => {
    expect(decide({})).toEqual({ amount: 1_000, fromReserve: 0 })
    expect(decide({}, { amount: null })).toEqual({ amount: 1_000, fromReserve: 0 })
    expect(decide({ transaction: charge({ refunded_amount: 300 }), refunding: 200 })).toEqual({
      ...{ amount: 500, fromReserve: 0 },
    })
  })

  it("who may refund up to a limit is refused one centavo more, named or by what is left, and told both", () => {
    const upTo = (refundMax: number, body: CreateRefund) =>
      decideRefund(body, { ...fine, available: 0 }, nowMillis, refundMax)
    const limited = { code: "permission_denied", param: "amount" }
    for (const body of [{}, { amount: 1_000 }]) {
      expect(upTo(999, body)).toMatchObject({
        ...limited,
        details: { roles: ["owner", "finance"], refund_limit: 999, amount: 1_000 },
      })
      expect(upTo(1_000, body)).toMatchObject({ code: "insufficient_balance" })
    }
    expect(upTo(0, { amount: 1 })).toMatchObject(limited)
    expect(upTo(0, { amount: 1_001 })).toMatchObject({ code: "validation_failed" })
  })

  it("a refund is refused to a suspended seller", () => {
    expect(refusal({ seller: { ...seller, status: "suspended" } })).toMatchObject({
      code: "seller_not_allowed",
    })
  })

  it("a refund is refused without an approved identification, in live only", () => {
    for (const kycStatus of ["none", "pending", "rejected"] as const) {
      const unidentified = { seller: { ...seller, kycStatus } }
      expect(refusal({ ...unidentified, transaction: charge({}, "live") })).toMatchObject({
        code: "kyc_required",
      })
      expect(decide(unidentified)).toMatchObject({ amount: 1_000 })
    }
  })

  it("a refund is allowed to a seller whose withdrawals are locked", () => {
    const locked = {
      ...seller,
      payoutLockedUntilMillis: nowMillis + 1,
      recoveryLockedUntilMillis: nowMillis + 1,
    }
    expect(decide({ seller: locked })).toMatchObject({ amount: 1_000 })
  })

  it.each(transactionStatuses.filter((status) => status !== "paid"))(
    "a refund of a charge that is %s is refused with its status and time of payment",
    (status) => {
      const paidAt = status === "refunded" || status === "chargeback" ? nowText : null
      const transaction = storedCharge(status, { paid_at: paidAt })
      expect(refusal({ transaction })).toMatchObject({
        ...{ code: "invalid_state", status: 409, details: { status, paid_at: paidAt } },
      })
    },
  )

  it("a charge can be refunded for 90 days after its payment, to the millisecond", () => {
    const last = nowMillis + 90 * 24 * 60 * 60 * 1_000
    expect(decide({}, {}, last)).toMatchObject({ amount: 1_000 })
    expect(refusal({}, {}, last + 1)).toMatchObject({
      ...{ code: "invalid_state", details: { status: "paid", paid_at: nowText } },
    })
  })

  it("a refund of a charge of which nothing is left is refused, whatever amount it names", () => {
    for (const body of [{}, { amount: 1 }]) {
      expect(refusal({ refunding: 1_000 }, body)).toMatchObject({
        ...{ code: "invalid_state", details: { status: "paid", paid_at: nowText, left: 0 } },
      })
    }
    expect(decide({ refunding: 999 })).toMatchObject({ amount: 1 })
  })

  it("a refund of a live charge whose payment has no end-to-end id is refused, whatever is left of it", () => {
    const settled = { end_to_end_id: null }
    expect(refusal({ transaction: charge(settled, "live") })).toMatchObject({
      ...{ code: "invalid_state", status: 409 },
      details: { status: "paid", paid_at: nowText, reason: "end_to_end_id_unknown" },
    })
    expect(decide({ transaction: charge(settled) })).toMatchObject({ amount: 1_000 })
    expect(refusal({ transaction: charge(settled, "live"), refunding: 1_000 })).toMatchObject({
      details: { left: 0 },
    })
  })

  it("a charge has at most 200 refunds, whatever became of them", () => {
    expect(decide({ refunds: limits.refundsPerChargeMax - 1 })).toMatchObject({ amount: 1_000 })
    expect(refusal({ refunds: limits.refundsPerChargeMax })).toMatchObject({
      ...{ code: "invalid_state", details: { refunds_limit: 200 } },
    })
  })

  it("a refund of more than is left is a mistake of the request; refunds under way count", () => {
    const taken = { transaction: charge({ refunded_amount: 300 }), refunding: 200 }
    expect(decide(taken, { amount: 500 })).toMatchObject({ amount: 500 })
    expect(refusal(taken, { amount: 501 })).toEqual({
      ...{ code: "validation_failed", status: 400, param: "amount", details: { left: 500 } },
    })
  })

  it("a refund takes what the charge has in the reserve first, and needs the rest available", () => {
    const reserve = { amount: 100, release_at: releaseAt, released_at: null }
    const transaction = charge({ reserve })
    expect(decide({ transaction, available: 0 }, { amount: 100 })).toEqual({ amount: 100, fromReserve: 100 })
    expect(decide({ transaction, available: 5 }, { amount: 105 })).toEqual({ amount: 105, fromReserve: 100 })
    expect(refusal({ transaction, available: 4 }, { amount: 105 })).toEqual({
      ...{ code: "insufficient_balance", status: 409, param: "amount" },
      details: { available: 4, reserve: 100, amount: 105 },
    })
    const released = charge({ reserve: { ...reserve, released_at: nowText } })
    expect(refusal({ transaction: released, available: 99 }, { amount: 100 })).toMatchObject({
      ...{ code: "insufficient_balance", details: { available: 99, reserve: 0, amount: 100 } },
    })
  })

  it("a seller in debt may refund from the reserve what exceeds the debt, and not one centavo more", () => {
    const reserve = { amount: 100, release_at: releaseAt, released_at: null }
    const found = { ...fine, transaction: charge({ reserve }), available: -7, reserve: 100 }
    expect(decideRefund({ amount: 93 }, found, nowMillis)).toEqual({ amount: 93, fromReserve: 93 })
    expect(creationOf(found, { amount: 93 }).heldFromAvailable).toBe(-7)
    expect(refusal(found, { amount: 94 })).toEqual({
      ...{ code: "insufficient_balance", status: 409, param: "amount" },
      details: { available: -7, reserve: 93, amount: 94 },
    })
    for (const available of [-100, -101]) {
      expect(refusal({ ...found, available }, { amount: 1 })).toMatchObject({
        details: { available, reserve: 0 },
      })
    }
  })

  it("the reserve of all charges covers the debt; a refund takes of its own charge's at most", () => {
    const reserve = { amount: 100, release_at: releaseAt, released_at: null }
    const found = { ...fine, transaction: charge({ reserve }), available: -50, reserve: 150 }
    expect(decideRefund({ amount: 100 }, found, nowMillis)).toEqual({ amount: 100, fromReserve: 100 })
    expect(refusal({ ...found, reserve: 149 }, { amount: 100 })).toMatchObject({ details: { reserve: 99 } })
    expect(refusal({ ...found, reserve: 1_000 }, { amount: 101 })).toMatchObject({
      details: { reserve: 100 },
    })
  })

  it("whatever the balance, what a refund leaves of the reserve covers the debt, and no more than that is refused", () => {
    const cents = fc.integer({ min: 1, max: 1_000 })
    fc.assert(
      fc.property(
        fc.integer({ min: -2_000, max: 2_000 }),
        fc.nat({ max: 1_000 }),
        fc.nat({ max: 1_000 }),
        cents,
        (available, own, others, amount) => {
          const reserve = { amount: own, release_at: releaseAt, released_at: null }
          const found = { ...fine, transaction: charge({ reserve }), available, reserve: own + others }
          const decision = decideRefund({ amount }, found, nowMillis)
          const fromReserve = Math.min(own, amount)
          const after = { available: available - (amount - fromReserve), reserve: own + others - fromReserve }
          const isCovered = after.available + after.reserve >= 0
          const isAllowed = available < 0 ? amount <= own && isCovered : after.available >= 0
          expect(!(decision instanceof ApiError)).toBe(isAllowed)
        },
      ),
    )
  })
})

/** A change that fails each precondition, in the order of docs/contract/refunds.md#preconditions. */
const failures: ReadonlyArray<readonly [code: string, (now: RefundPreconditions) => RefundPreconditions]> = [
  ["seller_not_allowed", (now) => ({ ...now, seller: { ...now.seller, status: "suspended" } })],
  ["kyc_required", (now) => ({ ...now, seller: { ...now.seller, kycStatus: "none" } })],
  ["invalid_state", (now) => ({ ...now, refunds: limits.refundsPerChargeMax })],
  ["validation_failed", (now) => ({ ...now, refunding: 1 })],
  ["insufficient_balance", (now) => ({ ...now, available: 999 })],
]

describe("several failed preconditions of a refund", () => {
  it("a refund is refused for the first failed precondition of the contract's order", () => {
    for (let bits = 0; bits < 2 ** failures.length; bits++) {
      const failing = failures.filter((_, index) => (bits >> index) & 1)
      const found = failing.reduce((now, [, fail]) => fail(now), { ...fine, transaction: charge({}, "live") })
      const decision = decideRefund({ amount: 1_000 }, found, nowMillis)

      expect(decision instanceof ApiError ? decision.code : undefined).toBe(failing[0]?.[0])
    }
  })
})

const principal = { sellerId, mode: "test", keyId: "key_1", keyHash: "hash" } as const
const idempotency = { route: "refunds", key: "k", fingerprint: "f", executionId: "e" }

const creationOf = (found: RefundPreconditions, body: CreateRefund, offsetMillis = 0) => {
  const allowed = decideRefund(body, found, nowMillis)
  if (allowed instanceof ApiError) throw allowed
  const requested = { principal, idempotency, body, origin: "seller" } as const
  return refundCreation(refundId, requested, found, allowed, { ...atMillis(nowMillis), offsetMillis })
}

describe("a new refund", () => {
  it("a new refund is pending, holds its money, and is sent at once by the true time", () => {
    const commit = creationOf(fine, { amount: 400, reason: "one of two" }, 5_000)

    expect(JSON.parse(commit.refund.document)).toEqual({
      ...{ id: refundId, object: "refund", trace_id: madeTraceId(refundId) },
      ...{ transaction_id: fine.transaction.id, mode: "test" },
      ...{ amount: 400, currency: "BRL", status: "pending", reason: "one of two", origin: "seller" },
      ...{ failure_code: null, failure_reason: null, return_id: null },
      ...{ created_at: nowText, updated_at: nowText, completed_at: null },
    })
    expect(commit).toMatchObject({
      ...{ eventType: "refund.created", heldFromAvailable: 400, decidedOn: { sellerVersion: 1 } },
      timers: [{ name: "send_refund", resourceId: refundId, dueMillis: nowMillis - 5_000 }],
      charge: { transaction: fine.transaction, to: "paid", refundingChange: 400, timers: [], timersDone: [] },
    })
    expect([commit.charge.eventType, commit.charge.document]).toEqual([undefined, fine.transaction.document])
    expect(commit.movement).toEqual({
      ...{ kind: "refund_held", resourceType: "refund", resourceId: refundId },
      postings: [
        { bucket: "available", amount: -400 },
        { bucket: "pending_refund", amount: 400 },
      ],
    })
  })

  it("a new refund belongs to the acquirer account of its charge", () => {
    const { refund } = creationOf({ ...fine, transaction: { ...charge(), account: "elsewhere:1" } }, {})
    expect(refund.account).toBe("elsewhere:1")
    expect(creationOf(fine, {}).refund).not.toHaveProperty("account")
  })

  it("a refund's hold adds up, takes the reserve first, and leaves the charge's reserve unreleased", () => {
    fc.assert(
      fc.property(fc.nat({ max: 1_000 }), fc.integer({ min: 1, max: 1_000 }), (held, amount) => {
        const reserve = { amount: held, release_at: releaseAt, released_at: null }
        const commit = creationOf({ ...fine, transaction: charge({ reserve }) }, { amount })
        const gains = Object.fromEntries(commit.movement.postings.map((one) => [one.bucket, one.amount]))
        const fromReserve = Math.min(held, amount)

        expect(commit.refund.heldFromReserve).toBe(fromReserve)
        expect(commit.heldFromAvailable).toBe(amount - fromReserve)
        expect([gains.reserve ?? 0, gains.available ?? 0]).toEqual([
          fromReserve === 0 ? 0 : -fromReserve,
          amount === fromReserve ? 0 : fromReserve - amount,
        ])
        expect(gains.pending_refund).toBe(amount)
        const after: Transaction = JSON.parse(commit.charge.document)
        expect(after.reserve).toEqual({ ...reserve, amount: held - fromReserve })
      }),
    )
  })
})
