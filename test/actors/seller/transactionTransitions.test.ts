import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { StoredTransaction, TransitionCommit } from "../../../actors/ports/transactionStore.ts"
import { initialSettings } from "../../../actors/seller/decisions/newSeller.ts"
import {
  decideEnd,
  decidePaid,
  decideReturned,
  isAllowed,
  timerNames,
} from "../../../actors/seller/decisions/transactionTransitions.ts"
import { acquirerRefundId } from "../../../actors/values/acquirerRefund.ts"
import {
  type Transaction,
  type TransactionStatus,
  transactionStatuses,
} from "../../../schema/resources/transaction.ts"
import { anyUrl } from "../../support/anyUrl.ts"
import {
  atMillis,
  chargeId,
  chargeOf,
  nowMillis,
  nowText,
  sellerId,
  storedCharge,
} from "../support/charges.ts"

/** See docs/contract/transactions.md#states. */
const table: ReadonlyArray<readonly [TransactionStatus, TransactionStatus]> = [
  ["pending", "paid"],
  ["pending", "expired"],
  ["pending", "failed"],
  ["expired", "paid"],
  ["paid", "refunded"],
  ["paid", "chargeback"],
]
const isInTable = (from: TransactionStatus, to: TransactionStatus) =>
  table.some(([source, target]) => source === from && target === to)

const pairs = transactionStatuses.flatMap((from) => transactionStatuses.map((to) => [from, to] as const))
const ends = ["paid", "expired", "failed", "refunded", "chargeback"] as const
type End = (typeof ends)[number]

const time = atMillis(nowMillis)
const settings = { ...initialSettings, reserveBps: 0 }
/** Reserves 10 % for 30 days. */
const reserving = { ...initialSettings, reserveBps: 1_000, reserveDays: 30 }
const releaseMillis = nowMillis + 30 * 24 * 60 * 60 * 1_000

/** The decision that takes a charge to that status. */
const decideTo = (
  stored: StoredTransaction,
  to: End,
  askAfterMillis?: number,
): TransitionCommit | undefined => {
  switch (to) {
    case "paid":
      return decidePaid(stored, "E1", settings, time, askAfterMillis)
    case "expired":
    case "failed":
      return decideEnd(stored, to, { reason: "reason", askAfterMillis }, time)
    default: {
      const kind = to === "refunded" ? "refund" : "chargeback"
      return decideReturned(stored, { id: "d1", amount: 1_000, kind }, time, askAfterMillis)
    }
  }
}

/** What a transition adds to the document besides its status and the time of it. */
const addedBy = (from: TransactionStatus, to: End): Partial<Transaction> => {
  switch (to) {
    case "paid": {
      const late = { kind: "late_payment", end_to_end_id: "E1", amount: 1_000, created_at: nowText } as const
      return { end_to_end_id: "E1", exceptions: from === "expired" ? [late] : [] }
    }
    case "expired":
    case "failed":
      return { failure_reason: "reason" }
    default: {
      const kind = to === "refunded" ? "refund" : "chargeback"
      const id = acquirerRefundId(sellerId, nowMillis, "", "d1")
      const entry = { id, kind, amount: 1_000, return_id: null, created_at: nowText } as const
      return { refunded_amount: 1_000, refunds: [entry] }
    }
  }
}

describe("the transitions of a charge", () => {
  it.each(pairs)(
    "a charge's transition from %s to %s is allowed exactly if the contract's table has it",
    (from, to) => {
      expect(isAllowed(from, to)).toBe(isInTable(from, to))
    },
  )

  it("a charge's transitions are decided where the contract's table has them, and nowhere else", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...transactionStatuses),
        fc.constantFrom(...ends),
        fc.integer({ min: 1, max: 9 }),
        fc.option(anyUrl, { nil: null }),
        fc.option(fc.nat({ max: 1_000_000 }), { nil: undefined }),
        (from, to, version, postbackUrl, askAfterMillis) => {
          const before = storedCharge(from, { postback_url: postbackUrl }, version)
          const commit = decideTo(before, to, askAfterMillis)

          if (!isInTable(from, to)) {
            expect(commit).toBeUndefined()
            return
          }
          expect(commit).toMatchObject({
            sellerId,
            mode: "test",
            transactionId: chargeId,
            expectedVersion: version,
            from,
            to,
            eventType: `transaction.${to}`,
          })
          expect(commit?.postback).toEqual(postbackUrl === null ? undefined : { url: postbackUrl })
          expect(commit?.timers).toEqual(
            askAfterMillis === undefined
              ? []
              : [{ name: "ask", resourceId: chargeId, dueMillis: nowMillis + askAfterMillis }],
          )
          expect(chargeOf(commit)).toEqual({
            ...JSON.parse(before.document),
            ...addedBy(from, to),
            status: to,
            [`${to}_at`]: nowText,
          })
        },
      ),
    )
  })

  it("a charge's transition moves money exactly when it is paid, refunded or charged back", () => {
    for (const [from, to] of table) {
      if (to === "pending") continue
      const kind = decideTo(storedCharge(from), to)?.movement?.kind
      const kinds = { paid: "charge_paid", refunded: "charge_refunded", chargeback: "charge_chargeback" }
      expect(kind).toBe({ ...kinds, expired: undefined, failed: undefined }[to])
    }
  })

  it("a charge's transitions end the timers that are no longer needed, and only those", () => {
    const doneBy = (from: TransactionStatus, to: End, askAfterMillis?: number) =>
      decideTo(storedCharge(from), to, askAfterMillis)?.timersDone

    expect(doneBy("pending", "paid")).toEqual([timerNames.expire, timerNames.ask])
    expect(doneBy("pending", "failed")).toEqual([timerNames.expire, timerNames.ask])
    // The payer may still pay late: the acquirer is asked as planned.
    expect(doneBy("pending", "expired")).toEqual([timerNames.expire])
    expect(doneBy("expired", "paid")).toEqual([timerNames.expire, timerNames.ask])
    expect(doneBy("paid", "refunded")).toEqual([timerNames.ask])
    // A timer that is set anew is not ended.
    expect(doneBy("pending", "paid", 3_000)).toEqual([timerNames.expire])
    expect(doneBy("paid", "chargeback", 3_000)).toEqual([])
  })

  it("a charge's transition keeps what earlier ones have written", () => {
    const paid = storedCharge("paid", { paid_at: "2026-11-20T00:00:00.000Z", end_to_end_id: "E1" })

    expect(chargeOf(decideTo(paid, "refunded"))).toMatchObject({
      status: "refunded",
      paid_at: "2026-11-20T00:00:00.000Z",
      end_to_end_id: "E1",
      failure_reason: null,
      refunded_at: nowText,
      chargeback_at: null,
    })
  })

  it("a charge's transition keeps the order of its fields and its sealed document", () => {
    const before = storedCharge("pending")
    const after = decidePaid(before, "E1", reserving, time)?.document ?? ""

    expect(Object.keys(JSON.parse(after))).toEqual(Object.keys(JSON.parse(before.document)))
    expect(after).toContain('"document":"enc:v2:0:sealed"')
  })

  it("a charge's transition shows the seller's time and sets timers by the true one", () => {
    const ahead = { nowMillis, offsetMillis: 5_000 }
    const commit = decidePaid(storedCharge("pending"), "E1", reserving, ahead, 3_000)

    expect(chargeOf(commit)).toMatchObject({ paid_at: nowText, reserve: { released_at: null } })
    expect(commit?.timers.map(({ dueMillis }) => dueMillis)).toEqual([
      nowMillis + 3_000 - 5_000,
      releaseMillis - 5_000,
    ])
  })
})
