import { acquirerRefundIdOf } from "../../../schema/ids.ts"
import type { NewException } from "../../ports/exceptionStore.ts"
import type { StoredRefund } from "../../ports/refundStore.ts"
import type { StoredTransaction } from "../../ports/transactionStore.ts"
import { exceptionOfResource } from "./exceptionDocument.ts"
import { processingMillisOf, readRefund } from "./refundTransitions.ts"
import type { SellerTime } from "./sellerTime.ts"
import { readCharge } from "./transactionTransitions.ts"

/** Whether a live refund has been processing for longer than it may. */
export const isRefundStuck = (stored: StoredRefund, stuckMillis: number, nowMillis: number): boolean =>
  stored.mode === "live" &&
  stored.status === "processing" &&
  nowMillis - processingMillisOf(stored) > stuckMillis

/** The exception of a refund that is stuck (docs/contract/exceptions.md#kinds). */
export const stuckRefundException = (
  stored: StoredRefund,
  transaction: StoredTransaction,
  acquirer: string,
  time: SellerTime,
): NewException => {
  const { id, sellerId, mode, account, status } = stored
  const { amount, updated_at } = readRefund(stored)
  const details = {
    ...{ status, processing_at: updated_at, transaction_id: transaction.id },
    end_to_end_id: readCharge(transaction).end_to_end_id,
    refund_id: acquirerRefundIdOf(id),
  }
  return exceptionOfResource(
    { kind: "refund_stuck", about: id, acquirer, amount, details },
    { type: "refund", id, sellerId, mode, account },
    time.nowMillis,
  )
}
