import { txidOf } from "../../../schema/ids.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import type { ExceptionChange, StoredException } from "../../ports/exceptionStore.ts"
import type { LedgerMovement } from "../../ports/ledger.ts"
import type { SellerSettings } from "../../ports/sellerStore.ts"
import type { StoredTransaction, TransitionCommit } from "../../ports/transactionStore.ts"
import {
  type ExceptionResource,
  exceptionOfResource,
  type FoundException,
  factOf,
  readException,
} from "./exceptionDocument.ts"
import { paymentCredited } from "./movements.ts"
import type { SellerTime } from "./sellerTime.ts"
import {
  commitOf,
  decideEnd,
  decidePaid,
  type OddPayment,
  readCharge,
  withException,
} from "./transactionTransitions.ts"

/** What tells a seller that an exception of a charge was recorded or resolved. */
const chargeExceptionEventType = "transaction.exception"

const resourceOf = ({ id, sellerId, mode, account }: StoredTransaction): ExceptionResource => ({
  type: "transaction",
  id,
  sellerId,
  mode,
  account,
})

/** The kind of exception that an odd payment is: one to a failed charge counts as one too many. */
const kindOf = ({ kind }: OddPayment) => (kind === "amount_mismatch" ? kind : "double_payment")

/** The fact of an odd payment. */
export const chargeFactOf = (odd: OddPayment): string => factOf(kindOf(odd), odd.end_to_end_id)

/** Commits nothing of the charge itself but, with the exception, its event. */
const openedBy = (
  stored: StoredTransaction,
  after: Transaction,
  found: FoundException,
  time: SellerTime,
): TransitionCommit =>
  commitOf(stored, after, {
    eventType: chargeExceptionEventType,
    exception: { kind: "open", exception: exceptionOfResource(found, resourceOf(stored), time.nowMillis) },
  })

/**
 * Decides that a charge has an exception: a double payment, a wrong amount, a payment after it failed, a Pix that `claimedBy` has. It
 * is recorded whether the charge has room to list it or not; that it is not recorded already is the caller's to know.
 */
export const decideException = (
  stored: StoredTransaction,
  odd: OddPayment,
  acquirer: string,
  time: SellerTime,
  claimedBy?: string,
): TransitionCommit => {
  const charge = readCharge(stored)
  const { kind, end_to_end_id, amount } = odd
  return openedBy(
    stored,
    { ...charge, exceptions: withException(charge, odd, time) ?? charge.exceptions },
    {
      kind: kindOf(odd),
      about: end_to_end_id,
      acquirer,
      amount,
      details: {
        end_to_end_id,
        txid: txidOf(stored.id),
        charge_exception: kind,
        charge_amount: charge.amount,
        ...(claimedBy === undefined ? {} : { claimed_by: claimedBy }),
      },
    },
    time,
  )
}

/** Decides that a charge belongs to an acquirer account that is not configured any more. */
export const decideChargeAccountChanged = (
  stored: StoredTransaction,
  acquirer: string,
  details: Readonly<Record<string, unknown>>,
  time: SellerTime,
): TransitionCommit => {
  const charge = readCharge(stored)
  const { amount, status } = charge
  return openedBy(
    stored,
    charge,
    { kind: "partner_changed", about: stored.id, acquirer, amount, details: { status, ...details } },
    time,
  )
}

/** The end of a charge with the exception that the acquirer says it was paid and names no payment. */
export const withUnconfirmed = (
  ended: TransitionCommit,
  stored: StoredTransaction,
  acquirer: string,
  time: SellerTime,
): TransitionCommit => {
  const { amount } = readCharge(stored)
  const found: FoundException = {
    kind: "payment_unconfirmed",
    about: stored.id,
    acquirer,
    amount,
    details: {
      end_to_end_id: null,
      txid: txidOf(stored.id),
      charge_amount: amount,
      status: ended.to,
      query_status: "paid",
    },
  }
  const exception = exceptionOfResource(found, resourceOf(stored), time.nowMillis)
  return { ...ended, exception: { kind: "open", exception } }
}

/** The charge with what became of its exception. */
const withResolution = (charge: Transaction, { exception, document }: ExceptionChange): Transaction => {
  const { resolved_at, act } = readException({ document })
  if (resolved_at === null || (act !== "credit" && act !== "refund" && act !== "dismiss")) return charge
  const exceptions = charge.exceptions.map((listed) =>
    chargeFactOf(listed) === exception.fact ? { ...listed, resolved_at, act } : listed,
  )
  return { ...charge, exceptions }
}

/** Resolves an exception of a charge without changing its status; a credit books the whole payment. */
export const decideChargeResolved = (
  stored: StoredTransaction,
  change: ExceptionChange,
  movement?: LedgerMovement,
): TransitionCommit =>
  commitOf(stored, withResolution(readCharge(stored), change), {
    eventType: chargeExceptionEventType,
    ...(movement === undefined ? {} : { movement }),
    exception: { kind: "change", change },
  })

/** The movement of a credit. */
export const creditOf = (exception: StoredException): LedgerMovement =>
  paymentCredited(exception.id, readException(exception).amount)

/** Ends a charge as an operator says: paid, by a transfer that nobody names, or failed. Undefined where its status does not allow it. */
export const decideChargeEnded = (
  stored: StoredTransaction,
  act: "settle" | "fail",
  change: ExceptionChange,
  settings: Pick<SellerSettings, "reserveBps" | "reserveDays">,
  time: SellerTime,
): TransitionCommit | undefined => {
  const commit =
    act === "settle"
      ? decidePaid(stored, null, settings, time)
      : decideEnd(stored, "failed", { reason: readException(change).reason ?? "operator" }, time)
  return commit === undefined ? undefined : { ...commit, exception: { kind: "change", change } }
}
