import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ChargeOutcome } from "../../../actors/ports/acquirer.ts"
import type { StoredTransaction } from "../../../actors/ports/transactionStore.ts"
import { newTransaction } from "../../../actors/seller/transactionDocument.ts"
import {
  decideOutcome,
  decideTransition,
  isAllowed,
  timerNames,
} from "../../../actors/seller/transactionTransitions.ts"
import { makeId, txidOf } from "../../../schema/ids.ts"
import {
  type Transaction,
  type TransactionStatus,
  transactionStatuses,
} from "../../../schema/resources/transaction.ts"
import { bodyOf } from "../support/shop.ts"

const nowMillis = Date.parse("2026-11-21T00:07:35.123Z")
const sellerId = makeId("sel_", nowMillis, 0, new Uint8Array(14))
const id = makeId("txn_", nowMillis, 0, new Uint8Array(14).fill(1))

/** decisions 2. */
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

const stored = (
  status: TransactionStatus,
  changes: Partial<Transaction> = {},
  version = 1,
): StoredTransaction => {
  const fresh = newTransaction(bodyOf(), {
    id,
    mode: "test",
    txid: txidOf(id),
    payload: "000201",
    qrBase64: "iVBORw0KGgo=",
    settings: { chargeFeeBps: 0, chargeFeeFixed: 0 },
    nowMillis,
    seal: () => "enc:v1:sealed",
  })
  const document = JSON.stringify({ ...fresh, status, ...changes })
  return { id, sellerId, mode: "test", status, version, document }
}

describe("the transitions of a charge", () => {
  it.each(pairs)("from %s to %s are those of the table", (from, to) => {
    expect(isAllowed(from, to)).toBe(isInTable(from, to))
  })

  it("are decided where the table has them, and nowhere else", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...transactionStatuses),
        fc.constantFrom(...ends),
        fc.integer({ min: 1, max: 9 }),
        fc.option(fc.webUrl(), { nil: null }),
        fc.option(fc.nat({ max: 1_000_000 }), { nil: undefined }),
        (from, to, version, postbackUrl, askAfterMillis) => {
          const before = stored(from, { postback_url: postbackUrl }, version)
          const facts = { endToEndId: "E1", failureReason: "reason", askAfterMillis }
          const commit = decideTransition(before, to, facts, nowMillis)

          if (!isInTable(from, to)) {
            expect(commit).toBeUndefined()
            return
          }
          expect(commit).toMatchObject({
            sellerId,
            mode: "test",
            transactionId: id,
            expectedVersion: version,
            from,
            to,
            eventType: `transaction.${to}`,
          })
          expect(commit?.postback).toEqual(postbackUrl === null ? undefined : { url: postbackUrl })
          const isAsked = askAfterMillis !== undefined
          expect(commit?.timers).toEqual(
            isAsked ? [{ name: "ask", resourceId: id, dueMillis: nowMillis + askAfterMillis }] : [],
          )
          const after = JSON.parse(commit?.document ?? "{}") as Transaction
          expect(after).toEqual({
            ...JSON.parse(before.document),
            status: to,
            end_to_end_id: "E1",
            failure_reason: "reason",
            [`${to}_at`]: "2026-11-21T00:07:35.123Z",
          })
        },
      ),
    )
  })

  it("end the timers that nothing waits for any more, and those alone", () => {
    const doneBy = (from: TransactionStatus, to: End, askAfterMillis?: number) =>
      decideTransition(stored(from), to, { askAfterMillis }, nowMillis)?.timersDone

    expect(doneBy("pending", "paid")).toEqual([timerNames.expire, timerNames.ask])
    expect(doneBy("pending", "failed")).toEqual([timerNames.expire, timerNames.ask])
    // The payer may still pay late: the acquirer is asked as planned.
    expect(doneBy("pending", "expired")).toEqual([timerNames.expire])
    expect(doneBy("expired", "paid")).toEqual([timerNames.expire, timerNames.ask])
    expect(doneBy("paid", "refunded")).toEqual([timerNames.expire, timerNames.ask])
    // A timer that is set anew is not ended.
    expect(doneBy("pending", "paid", 3_000)).toEqual([timerNames.expire])
  })

  it("keep what earlier ones have written", () => {
    const paid = stored("paid", { paid_at: "2026-11-20T00:00:00.000Z", end_to_end_id: "E1" })
    const refunded = decideTransition(paid, "refunded", {}, nowMillis)

    expect(JSON.parse(refunded?.document ?? "{}")).toMatchObject({
      status: "refunded",
      paid_at: "2026-11-20T00:00:00.000Z",
      end_to_end_id: "E1",
      failure_reason: null,
      refunded_at: "2026-11-21T00:07:35.123Z",
      chargeback_at: null,
    })
  })

  it("keep the fields in their order, the sealed document among them", () => {
    const before = stored("pending")
    const after = decideTransition(before, "paid", { endToEndId: "E1" }, nowMillis)?.document ?? ""

    expect(Object.keys(JSON.parse(after))).toEqual(Object.keys(JSON.parse(before.document)))
    expect(after).toContain('"document":"enc:v1:sealed"')
  })
})

describe("the acquirer's word", () => {
  const decide = (status: TransactionStatus, outcome: ChargeOutcome) =>
    decideOutcome(stored(status), outcome, nowMillis)
  const paid: ChargeOutcome = { status: "paid", endToEndId: "E7", askAfterMillis: 5_000 }

  it("takes the charge to the status it names, with what it tells", () => {
    const commit = decide("pending", paid)

    expect(commit?.to).toBe("paid")
    expect(JSON.parse(commit?.document ?? "{}")).toMatchObject({ end_to_end_id: "E7", failure_reason: null })
    expect(commit?.timers).toEqual([{ name: "ask", resourceId: id, dueMillis: nowMillis + 5_000 }])
    const failed = decide("pending", { status: "failed", reason: "no such account" })
    expect(JSON.parse(failed?.document ?? "{}")).toMatchObject({
      status: "failed",
      failure_reason: "no such account",
    })
  })

  it("of a late payment counts: the money moved", () => {
    expect(decide("expired", paid)).toMatchObject({ from: "expired", to: "paid" })
  })

  it("changes nothing where it repeats, comes too late, or says that nothing has changed", () => {
    expect(decide("paid", paid)).toBeUndefined()
    expect(decide("refunded", paid)).toBeUndefined()
    expect(decide("pending", { status: "refunded" })).toBeUndefined()
    expect(decide("refunded", { status: "chargeback" })).toBeUndefined()
    expect(decide("failed", paid)).toBeUndefined()
    expect(decide("expired", { status: "failed", reason: "late" })).toBeUndefined()
    expect(decide("pending", { status: "unchanged", askAfterMillis: undefined })).toBeUndefined()
  })
})
