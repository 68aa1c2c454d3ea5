import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { LedgerMovement } from "../../../actors/ports/ledger.ts"
import {
  decideRefundAct,
  decideRefundFailed,
  decideRefundProcessing,
  decideRefundReport,
  decideRefundSucceeded,
} from "../../../actors/seller/decisions/refundTransitions.ts"
import { type RefundStatus, refundStatuses } from "../../../schema/resources/refund.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import { atMillis, nowMillis, nowText, storedCharge } from "../support/charges.ts"
import { chargeAfter, refundId, refundOf, storedRefund } from "../support/refundDocuments.ts"

const laterMillis = nowMillis + 1_000
const laterText = new Date(laterMillis).toISOString()
const time = atMillis(laterMillis)
const paid = (changes: Partial<Transaction> = {}) =>
  storedCharge("paid", { paid_at: nowText, end_to_end_id: "E1", ...changes }, 3)
const reserveOf = (amount: number, releaseMillis = laterMillis + 1) => ({
  amount,
  release_at: new Date(releaseMillis).toISOString(),
  released_at: null,
})
const why = { code: "AM09", reason: "too much" }

/** See docs/contract/refunds.md#states. */
const table: ReadonlyArray<readonly [RefundStatus, RefundStatus]> = [
  ["pending", "processing"],
  ["processing", "succeeded"],
  ["processing", "failed"],
]
const decideTo = (from: RefundStatus, to: RefundStatus, charge = paid()) => {
  const stored = storedRefund(from)
  if (to === "processing") return decideRefundProcessing(stored, laterMillis + 2_000, time)
  if (to === "succeeded") return decideRefundSucceeded(stored, charge, "D1", time)
  return to === "failed" ? decideRefundFailed(stored, charge, why, time) : undefined
}
const gainsOf = (movement: LedgerMovement | undefined) =>
  Object.fromEntries((movement?.postings ?? []).map(({ bucket, amount }) => [bucket, amount]))

describe("the transitions of a refund", () => {
  it.each(refundStatuses.flatMap((from) => refundStatuses.map((to) => [from, to] as const)))(
    "a refund goes from %s to %s exactly if the contract's table has it",
    (from, to) => {
      const isInTable = table.some(([source, target]) => source === from && target === to)
      expect(decideTo(from, to) !== undefined).toBe(isInTable)
    },
  )

  it("a refund that is sent changes neither money nor its charge, and is asked about later", () => {
    const commit = decideTo("pending", "processing")

    expect(commit).toMatchObject({
      ...{ to: "processing", eventType: undefined, movement: undefined, charge: undefined },
      timers: [{ name: "poll_refund", resourceId: refundId, dueMillis: laterMillis + 2_000 }],
      timersDone: ["send_refund", "poll_refund"],
    })
    expect(refundOf(commit)).toMatchObject({
      status: "processing",
      updated_at: laterText,
      completed_at: null,
    })
  })

  it("a refund that succeeded leaves the balance and is listed by its charge", () => {
    const commit = decideTo("processing", "succeeded")

    expect(refundOf(commit)).toMatchObject({
      ...{ status: "succeeded", return_id: "D1", failure_code: null, completed_at: laterText },
    })
    expect(gainsOf(commit?.movement)).toEqual({ pending_refund: -400, external: 400 })
    expect(commit).toMatchObject({ eventType: "refund.succeeded", timers: [] })
    expect(commit?.charge).toMatchObject({
      ...{ to: "paid", refundingChange: -400, eventType: "transaction.partially_refunded", timersDone: [] },
    })
    expect(chargeAfter(commit)).toMatchObject({
      ...{ status: "paid", refunded_amount: 400, refunded_at: null },
      refunds: [{ id: refundId, kind: "refund", amount: 400, return_id: "D1", created_at: laterText }],
    })
  })

  it("a refund that failed gives its money back and leaves its charge's returns as they were", () => {
    const commit = decideTo("processing", "failed")

    expect(refundOf(commit)).toMatchObject({
      ...{ status: "failed", failure_code: "AM09", failure_reason: "too much", completed_at: laterText },
    })
    expect(gainsOf(commit?.movement)).toEqual({ pending_refund: -400, available: 400 })
    expect(commit).toMatchObject({ eventType: "refund.failed" })
    expect(commit?.charge).toMatchObject({ to: "paid", refundingChange: -400, eventType: undefined })
    expect(commit?.charge?.document).toBe(paid().document)
  })

  it("a refund's end tells the charge's postback of the charge's event alone", () => {
    const charge = paid({ postback_url: "https://shop.example/hook" })
    expect(decideTo("processing", "succeeded", charge)?.charge?.postback).toEqual({
      url: "https://shop.example/hook",
    })
    expect(decideTo("processing", "failed", charge)?.charge?.postback).toBeUndefined()
  })
})

describe("the end of a charge by a refund", () => {
  const rest = { refunded_amount: 600 }

  it("a refund of the rest ends its charge as refunded, and the reserve's timer with it", () => {
    const entry = { id: "d1", kind: "refund", amount: 600, return_id: null, created_at: nowText } as const
    const commit = decideTo(
      "processing",
      "succeeded",
      paid({ ...rest, refunds: [entry], reserve: reserveOf(0) }),
    )

    expect(commit?.charge).toMatchObject({
      ...{ to: "refunded", eventType: "transaction.refunded", timersDone: ["release"] },
    })
    expect(chargeAfter(commit)).toMatchObject({
      ...{ status: "refunded", refunded_at: laterText, refunded_amount: 1_000 },
      reserve: { amount: 0, released_at: laterText },
    })
  })

  it("a charge of which the payer's bank took a part ends as a chargeback when a refund takes the rest", () => {
    const entry = { id: "m1", kind: "chargeback", amount: 600, return_id: null, created_at: nowText } as const
    const commit = decideTo("processing", "succeeded", paid({ ...rest, refunds: [entry] }))

    expect(commit?.charge).toMatchObject({ to: "chargeback", eventType: "transaction.chargeback" })
    expect(chargeAfter(commit)).toMatchObject({ chargeback_at: laterText, refunded_at: null })
  })

  it("a refund that succeeds although its charge went back whole meanwhile is booked without the charge's event", () => {
    const gone = { ...storedCharge("chargeback", { refunded_amount: 1_000 }), mode: "live" } as const
    const stored = storedRefund("processing", { mode: "live" })
    const report = { id: "r", amount: 400, kind: "refund", status: "done", returnId: "D1" } as const
    const commit = decideRefundReport(stored, gone, report, time)

    expect(commit).toMatchObject({ to: "succeeded", charge: { to: "chargeback", eventType: undefined } })
    expect(chargeAfter(commit)).toMatchObject({ status: "chargeback", refunded_amount: 1_400 })
    expect(gainsOf(commit?.movement)).toEqual({ pending_refund: -400, external: 400 })
  })

  it("a simulated refund fails where its charge has no room for it any more, to the centavo", () => {
    const report = { id: "r", amount: 400, kind: "refund", status: "done" } as const
    const stored = storedRefund("processing")
    expect(decideRefundReport(stored, paid({ refunded_amount: 600 }), report, time)?.to).toBe("succeeded")
    const commit = decideRefundReport(stored, paid({ refunded_amount: 601 }), report, time)
    expect(refundOf(commit)).toMatchObject({ status: "failed", failure_code: "AM09" })
    expect(decideRefundAct(stored, paid({ refunded_amount: 600 }), "succeed", time)?.to).toBe("succeeded")
    expect(decideRefundAct(stored, paid({ refunded_amount: 601 }), "succeed", time)).toBeUndefined()
    expect(decideRefundAct(stored, paid({ refunded_amount: 601 }), "fail", time)?.to).toBe("failed")
  })
})

describe("the reserve of a charge whose refund failed", () => {
  const fail = (charge: ReturnType<typeof paid>, fromReserve: number) =>
    decideRefundFailed(storedRefund("processing", {}, fromReserve), charge, why, time)

  it("what a failed refund took of the reserve goes back to it while the release lies ahead, with its timer", () => {
    const commit = fail(paid({ reserve: reserveOf(20) }), 100)

    expect(gainsOf(commit?.movement)).toEqual({ pending_refund: -400, reserve: 100, available: 300 })
    expect(chargeAfter(commit).reserve).toEqual(reserveOf(120))
    expect(commit?.charge?.timers).toEqual([
      { name: "release", resourceId: paid().id, dueMillis: laterMillis + 1 },
    ])
  })

  it("what a failed refund took of the reserve becomes available once the release is due", () => {
    const commit = fail(paid({ reserve: reserveOf(20, laterMillis) }), 100)

    expect(gainsOf(commit?.movement)).toEqual({ pending_refund: -400, available: 400 })
    expect(chargeAfter(commit).reserve).toEqual(reserveOf(20, laterMillis))
    expect(commit?.charge?.timers).toEqual([])
  })

  it("what a failed refund took of the reserve becomes available where the charge is over", () => {
    const gone = storedCharge("chargeback", { refunded_amount: 1_000, reserve: reserveOf(0) })
    expect(gainsOf(fail(gone, 100)?.movement)).toEqual({ pending_refund: -400, available: 400 })
  })

  it("a reserve of which a return took the rest meanwhile is open again, with what the refund gives back", () => {
    const emptied = { ...reserveOf(0), released_at: nowText }
    const commit = fail(paid({ reserve: emptied, refunded_amount: 50 }), 100)

    expect(chargeAfter(commit).reserve).toEqual(reserveOf(100))
    expect(commit?.charge?.timers).toHaveLength(1)
  })

  it("the money of a refund that fails adds up to what it held, whatever came from where", () => {
    fc.assert(
      fc.property(fc.nat({ max: 400 }), fc.nat({ max: 500 }), fc.boolean(), (fromReserve, held, isAhead) => {
        const reserve = reserveOf(held, isAhead ? laterMillis + 1 : laterMillis)
        const gains = gainsOf(fail(paid({ reserve }), fromReserve)?.movement)
        const toReserve = isAhead ? fromReserve : 0

        expect(gains.pending_refund).toBe(-400)
        expect(gains.reserve ?? 0).toBe(toReserve)
        expect(gains.available ?? 0).toBe(400 - toReserve)
      }),
    )
  })
})

describe("the acquirer's word on a refund", () => {
  const report = { id: "r", amount: 400, kind: "refund" } as const

  it("a refund ends by done or failed alone", () => {
    const stored = storedRefund("processing")
    expect(decideRefundReport(stored, paid(), { ...report, status: "processing" }, time)).toBeUndefined()
    expect(decideRefundReport(stored, paid(), { ...report, status: "done" }, time)?.to).toBe("succeeded")
    const commit = decideRefundReport(stored, paid(), { ...report, status: "failed" }, time)
    expect(refundOf(commit)).toMatchObject({ status: "failed", failure_code: null, failure_reason: null })
  })

  it("a test control ends a refund as the simulated bank would, the same each time", () => {
    const stored = storedRefund("processing")
    const first = refundOf(decideRefundAct(stored, paid(), "succeed", time))
    expect(first.return_id).toMatch(/^D00000000202611210007[0-9A-Z]{11}$/)
    expect(refundOf(decideRefundAct(stored, paid(), "succeed", time)).return_id).toBe(first.return_id)
    expect(refundOf(decideRefundAct(stored, paid(), "fail", time))).toMatchObject({
      ...{ status: "failed", failure_reason: "test_control" },
    })
    for (const status of ["pending", "succeeded", "failed"] as const) {
      expect(decideRefundAct(storedRefund(status), paid(), "succeed", time)).toBeUndefined()
    }
  })
})
