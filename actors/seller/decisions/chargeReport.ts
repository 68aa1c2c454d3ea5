import type { ChargeReport, PaymentReport, RefundReport } from "../../ports/acquirer.ts"
import type { SellerSettings } from "../../ports/sellerStore.ts"
import type { StoredTransaction, TransitionCommit } from "../../ports/transactionStore.ts"
import type { SellerTime } from "./sellerTime.ts"
import {
  decideEnd,
  decideException,
  decidePaid,
  decideReturned,
  isAllowed,
  readCharge,
} from "./transactionTransitions.ts"

/** The exception that a transfer is to a charge it did not pay. */
const exceptionOf = (stored: StoredTransaction, payment: PaymentReport) => {
  const { amount } = readCharge(stored)
  const fact = { end_to_end_id: payment.endToEndId, amount: payment.amount }
  if (payment.amount !== amount) return { ...fact, kind: "amount_mismatch" } as const
  return { ...fact, kind: stored.status === "failed" ? "late_payment" : "double_payment" } as const
}

/** What a report says went back, or is to go back, of the charge's own payment. */
export const returnsOf = (stored: StoredTransaction, report: ChargeReport): ReadonlyArray<RefundReport> => {
  const { end_to_end_id: paidBy } = readCharge(stored)
  return report.payments.flatMap(({ endToEndId, refunds }) => (endToEndId === paidBy ? refunds : []))
}

/** The first refund of the charge's own payment that began at the acquirer, is done and not recorded yet. */
const nextReturn = (
  stored: StoredTransaction,
  report: ChargeReport,
  ownReturns: ReadonlySet<string>,
  time: SellerTime,
): TransitionCommit | undefined => {
  for (const refund of returnsOf(stored, report)) {
    if (refund.status !== "done" || ownReturns.has(refund.id)) continue
    const commit = decideReturned(stored, refund, time, report.askAfterMillis)
    if (commit !== undefined) return commit
  }
  return undefined
}

/** The first transfer that did not pay the charge and is not recorded yet. */
const nextException = (
  stored: StoredTransaction,
  report: ChargeReport,
  time: SellerTime,
): TransitionCommit | undefined => {
  const { end_to_end_id: paidBy } = readCharge(stored)
  for (const payment of report.payments) {
    if (payment.endToEndId === paidBy) continue
    const commit = decideException(stored, exceptionOf(stored, payment), time)
    if (commit !== undefined) return commit
  }
  return undefined
}

const noReturns: ReadonlySet<string> = new Set()

/**
 * The next commit that an acquirer's report calls for, or undefined where the charge is as the acquirer says. Applied until
 * then, it ends the same way in whatever order reports arrive, since a report is everything there is to know: a payment counts
 * when its amount is the charge's, a refund once by its id, and the rest are exceptions. `ownReturns`: the acquirer's ids of refunds
 * that we began, which are settled as such and never booked here.
 */
export const decideReport = (
  stored: StoredTransaction,
  report: ChargeReport,
  settings: Pick<SellerSettings, "reserveBps" | "reserveDays">,
  time: SellerTime,
  ownReturns: ReadonlySet<string> = noReturns,
): TransitionCommit | undefined => {
  if (isAllowed(stored.status, "paid")) {
    const { amount } = readCharge(stored)
    const payment = report.payments.find((made) => made.amount === amount)
    if (payment !== undefined) {
      return decidePaid(stored, payment.endToEndId, settings, time, report.askAfterMillis)
    }
  }
  const commit = nextReturn(stored, report, ownReturns, time) ?? nextException(stored, report, time)
  if (commit !== undefined || report.failure === undefined) return commit
  return decideEnd(stored, "failed", { reason: report.failure }, time)
}
