/** A Pix in the acquirer's list of what came in, or a return of it, that names a charge of ours. */
export interface ListedPix {
  readonly kind: "pix"
  readonly transactionId: string
  readonly endToEndId: string
  /** The acquirer's id of the return that it is about; undefined where it is about the Pix itself. */
  readonly refundId: string | undefined
  /** Who sent it back, of a return. */
  readonly returnKind?: "refund" | "chargeback" | undefined
  /** Centavos of the Pix, or of the return. */
  readonly amount: number
}

/** A payout in the acquirer's list of what went out that names a withdrawal of ours. */
export interface ListedPayout {
  readonly kind: "payout"
  readonly withdrawalId: string
  readonly endToEndId: string | undefined
  /** Centavos of it, and those of them that came back after it was paid. */
  readonly amount: number
  readonly returnedAmount: number
  /** `absent`: the list does not have it, although it was paid by the word of an operator. */
  readonly status: "paid" | "notPaid" | "processing" | "returned" | "absent"
}

/** What the acquirer's list says of something of ours. */
export type ListedItem = ListedPix | ListedPayout

/** What an item is about; the list has one item for it at a time. */
export const subjectOf = (item: ListedItem): string =>
  item.kind === "payout"
    ? item.withdrawalId
    : `${item.transactionId}:${item.endToEndId}:${item.refundId ?? ""}`

/** What tells an item from what the list said of the same before. */
export const keyOfItem = (item: ListedItem): string =>
  item.kind === "payout" ? `${item.withdrawalId}:${item.status}:${item.returnedAmount}` : subjectOf(item)
