/** The counts of a link. */
export interface PaymentLinkCounts {
  readonly payments: number
  /** In centavos. */
  readonly paidAmount: number
  /** Charges made through it that are pending. */
  readonly pendingPayments: number
}

/**
 * A link's JSON text with its counts; with `transactionId` that of the event of its payment. `payment_links.settle` of paymentLinks.lua
 * writes the same text (docs/decisions/0112-links-count-in-the-commit.md).
 */
export const paymentLinkText = (
  document: string,
  { payments, paidAmount, pendingPayments }: PaymentLinkCounts,
  transactionId?: string,
): string => {
  const paid = transactionId === undefined ? "" : `,"transaction_id":"${transactionId}"`
  return `${document.slice(0, -1)},"payments":${payments},"paid_amount":${paidAmount},"pending_payments":${pendingPayments}${paid}}`
}

/** All stored links begin so, and nothing else does. */
const head = '{"id":"plk_'

/** The id of a link's stored text, or of an event of one; undefined for any other text. */
export const paymentLinkIdIn = (stored: string): string | undefined =>
  stored.startsWith(head) ? stored.slice('{"id":"'.length, head.length + 26) : undefined

/** A link's text with its address; what a link begins with is ours, and has no other `"url":""`. */
export const withUrl = (stored: string, url: string): string =>
  stored.replace('"url":""', () => `"url":${JSON.stringify(url)}`)
