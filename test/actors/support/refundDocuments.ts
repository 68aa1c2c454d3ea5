import type { RefundTransition, StoredRefund } from "../../../actors/ports/refundStore.ts"
import { makeId } from "../../../schema/ids.ts"
import type { Refund, RefundStatus } from "../../../schema/resources/refund.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import { chargeId, nowMillis, nowText, sellerId } from "./charges.ts"

export const refundId = makeId("rfd_", nowMillis, 0, new Uint8Array(14).fill(4))

/** A stored refund of 400 centavos in that status, with the test's changes, as input for decisions. */
export const storedRefund = (
  status: RefundStatus,
  changes: Partial<Refund> = {},
  heldFromReserve = 0,
): StoredRefund => {
  const refund: Refund = {
    id: refundId,
    object: "refund",
    transaction_id: chargeId,
    mode: "test",
    amount: 400,
    currency: "BRL",
    status,
    reason: null,
    origin: "seller",
    failure_code: null,
    failure_reason: null,
    return_id: null,
    created_at: nowText,
    updated_at: nowText,
    completed_at: null,
    ...changes,
  }
  return {
    id: refundId,
    sellerId,
    mode: refund.mode,
    transactionId: chargeId,
    status,
    version: 1,
    document: JSON.stringify(refund),
    heldFromReserve,
    idempotency: { route: "refunds", key: "key-1" },
  }
}

/** The refund that a transition makes, and its charge then. */
export const refundOf = (transition: RefundTransition | undefined): Refund =>
  JSON.parse(transition?.document ?? "{}")
export const chargeAfter = (transition: RefundTransition | undefined): Transaction =>
  JSON.parse(transition?.charge?.document ?? "{}")
