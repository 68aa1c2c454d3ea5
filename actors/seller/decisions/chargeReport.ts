import type { ChargeReport, PaymentReport, RefundReport } from "../../ports/acquirer.ts"
import type { SellerSettings } from "../../ports/sellerStore.ts"
import type { StoredTransaction, TransitionCommit } from "../../ports/transactionStore.ts"
import { chargeFactOf, decideException } from "./chargeExceptions.ts"
import type { SellerTime } from "./sellerTime.ts"
import {
  decideEnd,
  decidePaid,
  decideReturned,
  isAllowed,
  type OddPayment,
  readCharge,
} from "./transactionTransitions.ts"

/** The exception that a transfer is to a charge it did not pay. */
const exceptionOf = (stored: StoredTransaction, payment: PaymentReport): OddPayment => {
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

/** The payments in a report that did not pay the charge and that its `exceptions` do not list. */
export const unlistedPayments = (
  stored: StoredTransaction,
  report: ChargeReport,
): ReadonlyArray<OddPayment> => {
  const { end_to_end_id: paidBy, exceptions } = readCharge(stored)
  return report.payments
    .filter(({ endToEndId }) => endToEndId !== paidBy)
    .map((payment) => exceptionOf(stored, payment))
    .filter((odd) => !exceptions.some((listed) => isSamePayment(listed, odd)))
}

/** A second payment stays one when its charge fails later. */
const isSamePayment = (left: OddPayment, right: OddPayment): boolean =>
  chargeFactOf(left) === chargeFactOf(right)

/** The first transfer that did not pay the charge and is not recorded yet. */
const nextException = (
  stored: StoredTransaction,
  report: ChargeReport,
  { acquirer, recorded = nothing, claimedBy = nobody }: KnownOfCharge,
  time: SellerTime,
): TransitionCommit | undefined => {
  const next = unlistedPayments(stored, report).find((odd) => !recorded.has(chargeFactOf(odd)))
  if (next === undefined) return undefined
  return decideException(stored, next, acquirer, time, claimedBy.get(next.end_to_end_id))
}

const nobody: ReadonlyMap<string, string> = new Map()
const nothing: ReadonlySet<string> = new Set()

/** What is known of a charge besides itself when a report on it is judged. */
export interface KnownOfCharge {
  /** The acquirer's slug. */
  readonly acquirer: string
  /** The acquirer's ids of refunds that we began, which are settled as such and never booked here. */
  readonly ownReturns?: ReadonlySet<string>
  /** Facts of exceptions that are recorded, as far as the charge does not list them. */
  readonly recorded?: ReadonlySet<string>
  /** Who else has a Pix of the report, by its end-to-end id. */
  readonly claimedBy?: ReadonlyMap<string, string>
}

/**
 * The next commit that an acquirer's report calls for, or undefined where the charge is as the acquirer says. Applied until
 * then, it ends the same way in whatever order reports arrive, since a report is everything there is to know: a payment counts
 * when its amount is the charge's and nobody else has it, a refund once by its id, and the rest are exceptions.
 */
export const decideReport = (
  stored: StoredTransaction,
  report: ChargeReport,
  settings: Pick<SellerSettings, "reserveBps" | "reserveDays">,
  time: SellerTime,
  known: KnownOfCharge,
): TransitionCommit | undefined => {
  if (isAllowed(stored.status, "paid")) {
    const { amount } = readCharge(stored)
    const payment = report.payments.find(
      (made) => made.amount === amount && known.claimedBy?.has(made.endToEndId) !== true,
    )
    if (payment !== undefined) {
      return decidePaid(stored, payment.endToEndId, settings, time, report.askAfterMillis)
    }
  }
  const commit =
    nextReturn(stored, report, known.ownReturns ?? nothing, time) ??
    nextException(stored, report, known, time)
  if (commit !== undefined || report.failure === undefined) return commit
  return decideEnd(stored, "failed", { reason: report.failure }, time)
}
