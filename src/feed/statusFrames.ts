import { transactionEventType } from "../../schema/events.ts"
import { type TransactionStatus, transactionStatuses } from "../../schema/resources/transaction.ts"
import { feedLimits } from "./feedLimits.ts"

const statusByType = new Map(transactionStatuses.map((status) => [transactionEventType(status), status]))

/** The status that a charge has reached by an event of this type; undefined where the event changes none. */
export const statusOfEvent = (type: string): TransactionStatus | undefined => statusByType.get(type)

/** Whether a payer may still wait for something: only `pending` turns into paid by itself (docs/contract/payment-page.md#stream). */
export const isFinal = (status: TransactionStatus): boolean => status !== "pending"

const frameTextOf = (status: TransactionStatus): string =>
  `event: status\ndata: ${JSON.stringify({ status })}\n\n`

const framesOf = (head: string): Readonly<Record<TransactionStatus, Uint8Array>> => {
  const frameOf = (status: TransactionStatus) => Buffer.from(head + frameTextOf(status))
  return {
    pending: frameOf("pending"),
    paid: frameOf("paid"),
    expired: frameOf("expired"),
    failed: frameOf("failed"),
    refunded: frameOf("refunded"),
    chargeback: frameOf("chargeback"),
  }
}

/** `event: status` with each status, and nothing else. */
export const statusFrames = framesOf("")

/** The same as a stream begins. */
export const firstStatusFrames = framesOf(`retry: ${feedLimits.retryMillis}\n\n`)
