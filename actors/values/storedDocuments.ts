import { Schema } from "effect"
import { Delivery } from "../../schema/resources/delivery.ts"
import { Exception } from "../../schema/resources/exception.ts"
import { PaymentLinkSettings } from "../../schema/resources/paymentLink.ts"
import { Refund } from "../../schema/resources/refund.ts"
import { Transaction } from "../../schema/resources/transaction.ts"
import { Withdrawal } from "../../schema/resources/withdrawal.ts"

/**
 * Makes the reader of a kind of stored document. Our own store wrote it, so one that does not fit its schema is damage: the reader throws,
 * and whoever asked gets a defect instead of a decision on wrong facts. The check takes 1 us where parsing takes 5. Texts that are only
 * shown are not read at all, but for charges, whose renderer checks each version once (src/payments/renderCharge.ts).
 */
export const storedReader = <A>(kind: string, schema: Schema.Schema<A>): ((text: string) => A) => {
  const fits = Schema.is(schema)
  return (text) => {
    const parsed: unknown = JSON.parse(text)
    if (fits(parsed)) return parsed
    throw new Error(`A stored ${kind} does not fit its schema`)
  }
}

/** The charge of a stored text, its document still ciphertext. */
export const parseCharge = storedReader("charge", Transaction)
/** The withdrawal of a stored text. */
export const parseWithdrawal = storedReader("withdrawal", Withdrawal)
/** The refund of a stored text. */
export const parseRefund = storedReader("refund", Refund)
/** The exception of a stored text. */
export const parseException = storedReader("exception", Exception)
/** The payment link of a stored text, without its counts. */
export const parsePaymentLink = storedReader("payment link", PaymentLinkSettings)
/** The attempt of a stored row. */
export const parseAttempt = storedReader("attempt", Delivery)
/** Headers by name: a tracker's own, or those of a notice. */
export const parseHeaders = storedReader("set of headers", Schema.Record(Schema.String, Schema.String))

const idStart = '{"id":"'.length
/** All stored charges begin so, and nothing else does. */
const head = '{"id":"txn_'
const idEnd = head.length + 26

/** The id of a charge's stored JSON; undefined for any other text. */
export const chargeIdIn = (stored: string): string | undefined =>
  stored.startsWith(head) ? stored.slice(idStart, idEnd) : undefined
