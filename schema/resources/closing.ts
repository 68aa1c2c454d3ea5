import { Schema } from "effect"
import { timestamp } from "../fields.ts"
import { modes } from "../ids.ts"
import { ledgerKinds } from "./ledger.ts"

/** Centavos of each bucket. */
export const BucketAmounts = Schema.Struct({
  available: Schema.Int.annotateKey({ description: "Centavos that can be withdrawn." }),
  reserve: Schema.Int.annotateKey({ description: "Centavos of paid charges that become available later." }),
  pending_withdraw: Schema.Int.annotateKey({ description: "Centavos held for withdrawals, fees included." }),
  pending_refund: Schema.Int.annotateKey({ description: "Centavos held for refunds." }),
  external: Schema.Int.annotateKey({ description: "Centavos outside: payers and bank accounts." }),
  fees: Schema.Int.annotateKey({ description: "Centavos that the service has earned." }),
}).annotate({ identifier: "BucketAmounts" })
export type BucketAmounts = typeof BucketAmounts.Type

const nothing = { available: 0, reserve: 0, pending_withdraw: 0, pending_refund: 0, external: 0, fees: 0 }
const paid = { ...nothing, available: 12990, external: -12990 }
const exampleDay = { opening: nothing, movements: { charge_paid: paid }, closing: paid }

const dayFields = {
  opening: BucketAmounts.annotateKey({ description: "At the beginning of the day." }),
  movements: Schema.Record(
    Schema.Literals(ledgerKinds),
    Schema.optionalKey(BucketAmounts).annotateKey({ description: "What entries of this kind moved." }),
  ).annotateKey({ description: "What entries of each kind moved; kinds without entries are left out." }),
  closing: BucketAmounts.annotateKey({ description: "At the end of the day." }),
}

/** What moved on a day. */
export const DayBooks = Schema.Struct(dayFields).annotate({
  identifier: "DayBooks",
  description: "Each bucket at the beginning of the day, what moved, and each bucket at its end.",
})
export type DayBooks = typeof DayBooks.Type

/** The same of one seller. */
export const SellerDayBooks = Schema.Struct({
  seller_id: Schema.String.annotateKey({ description: "The seller." }),
  ...dayFields,
}).annotate({ identifier: "SellerDayBooks" })
export type SellerDayBooks = typeof SellerDayBooks.Type

const exampleClosing = {
  object: "closing",
  day: "2026-11-21",
  mode: "live",
  difference: 0,
  created_at: "2026-11-22T03:30:00.000Z",
} as const

/** The closing of a day, as a list shows it (`docs/contract/closings.md#list`). */
export const Closing = Schema.Struct({
  object: Schema.Literal("closing").annotateKey({ description: "The kind of resource." }),
  day: Schema.String.annotate({ format: "date" }).annotateKey({
    description: "The day, in America/Sao_Paulo.",
  }),
  mode: Schema.Literals(modes).annotateKey({ description: "The mode of the money." }),
  difference: Schema.Int.annotateKey({
    description: "Centavos by which the acquirer's books differ from ours; 0 without books to compare with.",
  }),
  created_at: timestamp.annotateKey({ description: "When the day was closed." }),
}).annotate({ identifier: "Closing", examples: [exampleClosing] })
export type Closing = typeof Closing.Type

/** The acquirer's day (`docs/contract/closings.md#partner`). */
export const PartnerBooks = Schema.Struct({
  received: Schema.Int.annotateKey({ description: "Centavos that the acquirer received." }),
  sent: Schema.Int.annotateKey({ description: "Centavos that it paid out." }),
  returned: Schema.Int.annotateKey({
    description: "Centavos that went back to payers that day, whenever they had come in.",
  }),
  difference: Schema.Int.annotateKey({ description: "Centavos by which its books differ from ours." }),
  balance: Schema.NullOr(Schema.Int).annotateKey({
    description:
      "Centavos in the account when the day was closed; null where the acquirer does not tell, or the day was closed late.",
  }),
  balance_difference: Schema.NullOr(Schema.Int).annotateKey({
    description:
      "Centavos by which the balance exceeds what ledgers and open exceptions say is there; null without one.",
  }),
}).annotate({ identifier: "PartnerBooks" })
export type PartnerBooks = typeof PartnerBooks.Type

/** A closing with its books (`docs/contract/closings.md#one-day`). */
export const ClosingDetail = Schema.Struct({
  ...Closing.fields,
  platform: DayBooks.annotateKey({ description: "The books of the whole service." }),
  partner: Schema.NullOr(PartnerBooks).annotateKey({
    description: "The acquirer's books of that day; null in test, and for an acquirer without books.",
  }),
  sellers: Schema.Array(SellerDayBooks).annotateKey({
    description: "A page of the sellers whose money has ever moved, newest first.",
  }),
  next_cursor: Schema.NullOr(Schema.String).annotateKey({ description: "The next page of sellers." }),
}).annotate({
  identifier: "ClosingDetail",
  examples: [
    {
      ...exampleClosing,
      platform: exampleDay,
      partner: {
        received: 12990,
        sent: 0,
        returned: 0,
        difference: 0,
        balance: 512990,
        balance_difference: 500000,
      },
      sellers: [{ seller_id: "sel_01KA0000000700000000000000", ...exampleDay }],
      next_cursor: null,
    },
  ],
})
export type ClosingDetail = typeof ClosingDetail.Type
