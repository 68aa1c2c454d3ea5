import { type EventType, partiallyRefundedEventType, transactionEventType } from "../../../schema/events.ts"
import type { Refund } from "../../../schema/resources/refund.ts"
import type { Transaction, TransactionStatus } from "../../../schema/resources/transaction.ts"
import { madeTraceId } from "../../../schema/trace.ts"
import type { RefundReport } from "../../ports/acquirer.ts"
import type { AcquirerRefund } from "../../ports/transactionStore.ts"
import { acquirerRefundId, matchesReturn } from "../../values/acquirerRefund.ts"
import { heldReserve } from "./movements.ts"
import { shownTime } from "./sellerTime.ts"

/** An entry of a charge's `refunds`. */
type Return = Transaction["refunds"][number]

/**
 * A charge after money of it went back to its payer. A part is recorded; the whole ends the charge, as a chargeback where any part
 * was one (docs/contract/transactions.md#states).
 */
export const withReturn = (charge: Transaction, entry: Return): Transaction => {
  const refunds = [...charge.refunds, entry]
  const refundedAmount = charge.refunded_amount + entry.amount
  const after = { ...charge, refunded_amount: refundedAmount, refunds }
  if (charge.status !== "paid" || refundedAmount < charge.amount) return after
  return refunds.some(({ kind }) => kind === "chargeback")
    ? { ...after, status: "chargeback", chargeback_at: entry.created_at }
    : { ...after, status: "refunded", refunded_at: entry.created_at }
}

/** The event of a charge whose money went back; undefined where it had ended before. */
export const returnEventType = (from: TransactionStatus, to: TransactionStatus): EventType | undefined => {
  if (from !== "paid") return undefined
  return to === "paid" ? partiallyRefundedEventType : transactionEventType(to)
}

/** A return that began at the acquirer, as a report, the simulator or a test control tells of it. */
export type BegunReturn = Pick<RefundReport, "id" | "amount" | "kind" | "reason" | "returnId">

/** The entry of a return of the charge's own transfer that began at the acquirer, if it is recorded. */
export const recordedReturn = (
  charge: Pick<Transaction, "refunds" | "end_to_end_id">,
  acquirerId: string,
): Return | undefined => {
  const isOfReturn = matchesReturn(charge.end_to_end_id ?? "", acquirerId)
  return charge.refunds.find(({ id }) => id === acquirerId || isOfReturn(id))
}

/** A return that began at the acquirer as a refund of its own, already `succeeded`, and as an entry of its charge. */
export const refundOfReturn = (
  sellerId: string,
  charge: Transaction,
  { id: acquirerId, reason, returnId, kind }: BegunReturn,
  amount: number,
  nowMillis: number,
): { readonly refund: AcquirerRefund; readonly entry: Return } => {
  const nowText = shownTime(nowMillis)
  const id = acquirerRefundId(sellerId, nowMillis, charge.end_to_end_id ?? "", acquirerId)
  const document: Refund = {
    id,
    object: "refund",
    // No request began it: it belongs to its charge's trace.
    trace_id: charge.trace_id ?? madeTraceId(id),
    transaction_id: charge.id,
    mode: charge.mode,
    amount,
    currency: "BRL",
    status: "succeeded",
    reason: reason ?? null,
    origin: "partner",
    failure_code: null,
    failure_reason: null,
    return_id: returnId ?? null,
    created_at: nowText,
    updated_at: nowText,
    completed_at: nowText,
  }
  return {
    refund: { id, document: JSON.stringify(document), eventType: "refund.succeeded" },
    entry: { id, kind, amount, return_id: returnId ?? null, created_at: nowText },
  }
}

/** The charge without the centavos that a return takes out of its reserve, which cannot be released any more. */
export const withoutReserve = (charge: Transaction, fromReserve: number, nowText: string): Transaction => {
  const held = heldReserve(charge)
  if (charge.reserve === null || held === 0) return charge
  const releasedAt = held === fromReserve ? nowText : null
  return { ...charge, reserve: { ...charge.reserve, amount: held - fromReserve, released_at: releasedAt } }
}
