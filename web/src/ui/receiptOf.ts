/** What a receipt is of. */
export interface ReceiptOf {
  readonly kind: "transactions" | "refunds" | "withdrawals"
  readonly id: string
  /** The address of its page; undefined: it has none. */
  readonly url?: string
  /** Whoever is likely to get it. */
  readonly email?: string | undefined
}
