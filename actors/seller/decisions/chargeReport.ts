import type { ChargeReport, PaymentReport } from "../../ports/acquirer.ts"
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

/** The first refund of the charge's own payment that is done and not recorded yet. */
const nextReturn = (
  stored: StoredTransaction,
  report: ChargeReport,
  time: SellerTime,
): TransitionCommit | undefined => {
  const { end_to_end_id: paidBy } = readCharge(stored)
  for (const payment of report.payments) {
    if (payment.endToEndId !== paidBy) continue
    for (const refund of payment.refunds) {
      if (refund.status !== "done") continue
      const commit = decideReturned(stored, refund, time, report.askAfterMillis)
      if (commit !== undefined) return commit
    }
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

/**
 * The next commit that an acquirer's report calls for, or undefined where the charge is as the acquirer says. Applied until
 * then, it ends the same way in whatever order reports arrive, since a report is everything there is to know: a payment counts
 * when its amount is the charge's, a refund once by its id, and the rest are exceptions.
 */
export const decideReport = (
  stored: StoredTransaction,
  report: ChargeReport,
  settings: Pick<SellerSettings, "reserveBps" | "reserveDays">,
  time: SellerTime,
): TransitionCommit | undefined => {
  if (isAllowed(stored.status, "paid")) {
    const { amount } = readCharge(stored)
    const payment = report.payments.find((made) => made.amount === amount)
    if (payment !== undefined) {
      return decidePaid(stored, payment.endToEndId, settings, time, report.askAfterMillis)
    }
  }
  const commit = nextReturn(stored, report, time) ?? nextException(stored, report, time)
  if (commit !== undefined || report.failure === undefined) return commit
  return decideEnd(stored, "failed", { reason: report.failure }, time)
}
