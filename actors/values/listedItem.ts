import { Schema } from "effect"

/** A Pix in the acquirer's list of what came in, or a return of it, that names a charge of ours. */
const ListedPix = Schema.Struct({
  kind: Schema.Literal("pix"),
  transactionId: Schema.String,
  endToEndId: Schema.String,
  /** The acquirer's id of the return that it is about; undefined where it is about the Pix itself. */
  refundId: Schema.optional(Schema.String),
  /** Who sent it back, of a return. */
  returnKind: Schema.optional(Schema.Literals(["refund", "chargeback"])),
  /** Centavos of the Pix, or of the return. */
  amount: Schema.Number,
})
export type ListedPix = typeof ListedPix.Type

/** A payout in the acquirer's list of what went out that names a withdrawal of ours. */
const ListedPayout = Schema.Struct({
  kind: Schema.Literal("payout"),
  withdrawalId: Schema.String,
  endToEndId: Schema.optional(Schema.String),
  /** Centavos of it, and those of them that came back after it was paid. */
  amount: Schema.Number,
  returnedAmount: Schema.Number,
  /** `absent`: the list does not have it, although it was paid by the word of an operator. */
  status: Schema.Literals(["paid", "notPaid", "processing", "returned", "absent"]),
})
export type ListedPayout = typeof ListedPayout.Type

/** What the acquirer's list says of something of ours. */
export const ListedItem = Schema.Union([ListedPix, ListedPayout])
export type ListedItem = typeof ListedItem.Type

/** What an item is about; the list has one item for it at a time. */
export const subjectOf = (item: ListedItem): string =>
  item.kind === "payout"
    ? item.withdrawalId
    : `${item.transactionId}:${item.endToEndId}:${item.refundId ?? ""}`

/** What tells an item from what the list said of the same before. */
export const keyOfItem = (item: ListedItem): string =>
  item.kind === "payout" ? `${item.withdrawalId}:${item.status}:${item.returnedAmount}` : subjectOf(item)
