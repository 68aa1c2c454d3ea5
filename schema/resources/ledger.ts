import { Schema } from "effect"
import { modes } from "../ids.ts"

/**
 * Where money can be. `external` is the outside world (payers and bank accounts), `fees` is what the service has
 * earned; the postings of an entry sum to zero over all six (`docs/contract/balance-and-ledger.md#buckets`).
 */
export const buckets = [
  "available",
  "reserve",
  "pending_withdraw",
  "pending_refund",
  "external",
  "fees",
] as const
export type Bucket = (typeof buckets)[number]

/** Why money moved. */
export const ledgerKinds = [
  "charge_paid",
  "charge_refunded",
  "charge_partially_refunded",
  "charge_chargeback",
  "charge_partial_chargeback",
  "reserve_released",
  "withdrawal_held",
  "withdrawal_settled",
  "withdrawal_returned",
  "refund_held",
  "refund_settled",
  "refund_returned",
] as const
export type LedgerKind = (typeof ledgerKinds)[number]

/** What moves money: an entry names one of these. */
export const ledgerResourceTypes = ["transaction", "withdrawal", "refund"] as const
export type LedgerResourceType = (typeof ledgerResourceTypes)[number]

/** The answer of GET /v1/balance, in centavos. */
export const Balance = Schema.Struct({
  object: Schema.Literal("balance"),
  mode: Schema.Literals(modes),
  currency: Schema.Literal("BRL"),
  available: Schema.Int.annotateKey({
    description: "Centavos; negative only after refunds and chargebacks.",
  }),
  reserve: Schema.Int.annotateKey({ description: "Centavos of paid charges that become available later." }),
  pending_withdraw: Schema.Int.annotateKey({
    description: "Centavos held for the withdrawal in progress, its fee included.",
  }),
  pending_refund: Schema.Int.annotateKey({ description: "Centavos held for the refunds under way." }),
}).annotate({ identifier: "Balance" })
export type Balance = typeof Balance.Type

/** One entry of the double-entry ledger. */
export const LedgerEntry = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("ledger_entry"),
  kind: Schema.Literals(ledgerKinds),
  mode: Schema.Literals(modes),
  resource_type: Schema.Literals(ledgerResourceTypes),
  resource_id: Schema.String,
  event_id: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The event of the same change; null for changes without one: releases of the reserve, and earlier partial refunds.",
  }),
  postings: Schema.Array(Schema.Struct({ bucket: Schema.Literals(buckets), amount: Schema.Int })).annotateKey(
    { description: "The change of each bucket, negative for a decrease; they sum to zero." },
  ),
  balance: Schema.Struct({
    available: Schema.Int,
    reserve: Schema.Int,
    pending_withdraw: Schema.Int,
    pending_refund: Schema.Int,
  }).annotateKey({ description: "The balance after the entry." }),
  created_at: Schema.String.annotate({ format: "date-time" }),
}).annotate({ identifier: "LedgerEntry" })
export type LedgerEntry = typeof LedgerEntry.Type
