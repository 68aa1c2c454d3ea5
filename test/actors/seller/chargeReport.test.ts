import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ChargeReport, PaymentReport, RefundReport } from "../../../actors/ports/acquirer.ts"
import type { StoredTransaction } from "../../../actors/ports/transactionStore.ts"
import { decideReport } from "../../../actors/seller/decisions/chargeReport.ts"
import { initialSettings } from "../../../actors/seller/decisions/newSeller.ts"
import { afterCommit, readCharge } from "../../../actors/seller/decisions/transactionTransitions.ts"
import { limits } from "../../../schema/limits.ts"
import type { Bucket } from "../../../schema/resources/ledger.ts"
import { runsOf } from "../../support/sizes.ts"
import { noNews } from "../support/acquirer.ts"
import { atMillis, nowMillis, storedCharge } from "../support/charges.ts"

const amount = 1_000
const settings = { ...initialSettings, reserveBps: 2_500, reserveDays: 30 }
/** The most commits that one report may need (schema/limits.ts). */
const commitsMax = limits.commitsPerReportMax

/** A transfer as the acquirer comes to know it: its amount and its refunds. */
interface Transfer {
  readonly amount: number
  /** It is refunded before the next transfer arrives. */
  readonly isSoonBack: boolean
  readonly refunds: ReadonlyArray<
    Pick<RefundReport, "amount" | "kind" | "status"> & {
      /** Refunds are listed in the order in which they began and end in the order of this. */
      readonly endsAt: number
    }
  >
}

/** Parts of an amount that are returned; those that are done do not exceed it in all. */
const partsOf = (whole: number) =>
  fc
    .array(
      fc.record({
        share: fc.integer({ min: 1, max: whole }),
        kind: fc.constantFrom("refund" as const, "chargeback" as const),
        status: fc.constantFrom("done" as const, "done" as const, "failed" as const, "processing" as const),
        endsAt: fc.nat({ max: 9 }),
      }),
      { maxLength: 4 },
    )
    .chain((parts) =>
      fc.boolean().map((isWhole) => {
        let left = whole
        return parts.flatMap(({ share, kind, status, endsAt }, index) => {
          // The last part may be all that is left, so that the charge is refunded whole, in parts.
          const part = isWhole && index === parts.length - 1 ? left : Math.min(share, left)
          if (status === "done") left -= part
          return part === 0 ? [] : [{ amount: part, kind, status, endsAt }]
        })
      }),
    )

const transfer: fc.Arbitrary<Transfer> = fc
  .oneof(fc.constant(amount), fc.constantFrom(1, amount - 1, amount + 1))
  .chain((of) => fc.record({ amount: fc.constant(of), isSoonBack: fc.boolean(), refunds: partsOf(of) }))

/** The acquirer's reports on some transfers, from nothing to everything: each knows one fact more. */
const growing = (transfers: ReadonlyArray<Transfer>): ReadonlyArray<ChargeReport> => {
  const reports: Array<ChargeReport> = [noNews]
  let payments: ReadonlyArray<PaymentReport> = []
  const tell = (next: ReadonlyArray<PaymentReport>) => {
    payments = next
    reports.push({ ...noNews, payments })
  }
  const setRefund = (endToEndId: string, refund: RefundReport) =>
    tell(
      payments.map((payment) => {
        if (payment.endToEndId !== endToEndId) return payment
        const isListed = payment.refunds.some(({ id }) => id === refund.id)
        const refunds = isListed
          ? payment.refunds.map((listed) => (listed.id === refund.id ? refund : listed))
          : [...payment.refunds, refund]
        return { ...payment, refunds }
      }),
    )
  const giveBack = (index: number, of: Transfer) => {
    const begun = of.refunds.map(({ amount: part, kind, status, endsAt }, number) => {
      const refund = { id: `d${index}-${number}`, amount: part, kind }
      setRefund(`E${index}`, { ...refund, status: "processing" })
      return { refund, status, endsAt }
    })
    begun.sort((left, right) => left.endsAt - right.endsAt)
    for (const { refund, status } of begun) setRefund(`E${index}`, { ...refund, status })
  }
  for (const [index, of] of transfers.entries()) {
    tell([...payments, { endToEndId: `E${index}`, amount: of.amount, refunds: [] }])
    if (of.isSoonBack) giveBack(index, of)
  }
  for (const [index, of] of transfers.entries()) if (!of.isSoonBack) giveBack(index, of)
  return reports
}

/** The part of a refund's id that the return it stands for determines, whenever it was recorded. */
const tailOf = (refundId: string): string => refundId.slice(-14)

/** A charge and its ledger in the end, without what depends on the time and order of reports. */
const endOf = (stored: StoredTransaction, books: Readonly<Partial<Record<Bucket, number>>>) => {
  const charge = readCharge(stored)
  const isThere = (moment: string | null) => moment !== null
  return {
    status: stored.status,
    endToEndId: charge.end_to_end_id,
    refunded: charge.refunded_amount,
    reserve: charge.reserve === null ? null : [charge.reserve.amount, isThere(charge.reserve.released_at)],
    refunds: charge.refunds.map(({ id, kind, amount: part }) => `${tailOf(id)} ${kind} ${part}`).sort(),
    exceptions: charge.exceptions.map((fact) => `${fact.kind} ${fact.end_to_end_id} ${fact.amount}`).sort(),
    moments: [charge.paid_at, charge.refunded_at, charge.chargeback_at, charge.failed_at].map(isThere),
    books,
  }
}

/** Applies one report after the other, each at a later time, until it calls for no further commit. */
const follow = (from: "pending" | "expired", reports: ReadonlyArray<ChargeReport>) => {
  const books: Partial<Record<Bucket, number>> = {}
  let stored = storedCharge(from)
  for (const [index, report] of reports.entries()) {
    let commits = 0
    while (true) {
      const commit = decideReport(stored, report, settings, atMillis(nowMillis + 1_000 * index), {
        acquirer: "elsewhere",
      })
      if (commit === undefined) break
      expect(++commits).toBeLessThanOrEqual(commitsMax)
      for (const posting of commit.movement?.postings ?? []) {
        books[posting.bucket] = (books[posting.bucket] ?? 0) + posting.amount
      }
      stored = afterCommit(stored, commit)
    }
  }
  return endOf(stored, books)
}

/** A charge's history: all its transfers, and the order in which reports arrive, with repetitions. */
const history = fc
  .record({
    from: fc.constantFrom("pending" as const, "expired" as const),
    transfers: fc.array(transfer, { maxLength: 4 }),
  })
  .chain(({ from, transfers }) => {
    const reports = growing(transfers)
    const indexes = reports.map((_, index) => index)
    return fc.record({
      from: fc.constant(from),
      transfers: fc.constant(transfers),
      reports: fc.constant(reports),
      order: fc
        .record({
          some: fc.shuffledSubarray(indexes),
          again: fc.array(fc.constantFrom(...indexes), { maxLength: 10 }),
          lastAt: fc.nat({ max: 20 }),
        })
        // Whatever the order, the complete report is among them at least once.
        .map(({ some, again, lastAt }) => [...some, ...again].toSpliced(lastAt, 0, reports.length - 1)),
    })
  })

/** How a charge must end, given all its transfers (docs/contract/transactions.md#states). */
const expectedEnd = (from: "pending" | "expired", transfers: ReadonlyArray<Transfer>) => {
  const paidAt = transfers.findIndex((of) => of.amount === amount)
  const done = (transfers[paidAt]?.refunds ?? []).filter(({ status }) => status === "done")
  const refunded = done.reduce((sum, refund) => sum + refund.amount, 0)
  const isTakenBack = done.some(({ kind }) => kind === "chargeback")
  const others = transfers.flatMap((of, index) => {
    if (index === paidAt) return []
    return [`${of.amount === amount ? "double_payment" : "amount_mismatch"} E${index} ${of.amount}`]
  })
  const late = paidAt >= 0 && from === "expired" ? [`late_payment E${paidAt} ${amount}`] : []
  const end = isTakenBack ? "chargeback" : "refunded"
  return {
    status: paidAt < 0 ? from : refunded === amount ? end : "paid",
    endToEndId: paidAt < 0 ? null : `E${paidAt}`,
    refunded,
    exceptions: [...others, ...late].sort(),
  }
}

describe("an acquirer's reports on a charge", () => {
  it("a charge comes to the same end in whatever order and however often reports on it arrive", () => {
    const ends = new Set<string>()
    fc.assert(
      fc.property(history, ({ from, transfers, reports, order }) => {
        const told = order.flatMap((index) => reports[index] ?? [])
        const atOnce = follow(from, reports.slice(-1))
        ends.add(atOnce.status)

        expect(follow(from, told)).toEqual(atOnce)
        expect(atOnce).toMatchObject(expectedEnd(from, transfers))
      }),
      { numRuns: runsOf(2_000) },
    )
    // The histories are rich enough to reach every status that payments and refunds lead to.
    expect([...ends].sort()).toEqual(
      expect.arrayContaining(["chargeback", "expired", "paid", "pending", "refunded"]),
    )
  })

  it("a charge does not change when all reports on it are repeated", () => {
    fc.assert(
      fc.property(history, ({ from, reports }) => {
        expect(follow(from, [...reports, ...reports])).toEqual(follow(from, reports))
      }),
      { numRuns: runsOf(500) },
    )
  })

  it("a charge's ledger agrees with the charge after all reports on it", () => {
    fc.assert(
      fc.property(history, ({ from, reports }) => {
        const { status, refunded, books, reserve } = follow(from, reports)
        const { available = 0, reserve: held = 0, external = 0, fees = 0 } = books
        const isPaid = status !== "pending" && status !== "expired"

        expect(available + held + external + fees).toBe(0)
        expect(external).toBe(isPaid ? refunded - amount : 0)
        expect(held).toBe(reserve === null || reserve[1] === true ? 0 : reserve[0])
      }),
      { numRuns: runsOf(500) },
    )
  })
})
