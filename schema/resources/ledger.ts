import { Schema } from "effect"
import { textOrNull, timestamp } from "../fields.ts"
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
  "payment_credited",
  "payment_debited",
  "payout_debited",
  "payout_returned",
] as const
export type LedgerKind = (typeof ledgerKinds)[number]

/** What moves money: an entry names one of these. */
export const ledgerResourceTypes = ["transaction", "withdrawal", "refund", "exception"] as const
export type LedgerResourceType = (typeof ledgerResourceTypes)[number]

/** The answer of GET /v1/balance, in centavos. */
export const Balance = Schema.Struct({
  object: Schema.Literal("balance").annotateKey({ description: "The kind of resource." }),
  mode: Schema.Literals(modes).annotateKey({ description: "The mode of the money." }),
  currency: Schema.Literal("BRL").annotateKey({ description: "The currency (ISO 4217)." }),
  available: Schema.Int.annotateKey({
    description: "Centavos; negative only after refunds and chargebacks.",
  }),
  reserve: Schema.Int.annotateKey({ description: "Centavos of paid charges that become available later." }),
  pending_withdraw: Schema.Int.annotateKey({
    description: "Centavos held for the withdrawal in progress, its fee included.",
  }),
  pending_refund: Schema.Int.annotateKey({ description: "Centavos held for the refunds under way." }),
}).annotate({
  identifier: "Balance",
  examples: [
    {
      object: "balance",
      mode: "test",
      currency: "BRL",
      available: 12990,
      reserve: 0,
      pending_withdraw: 0,
      pending_refund: 0,
    },
  ],
})
export type Balance = typeof Balance.Type

const Posting = Schema.Struct({
  bucket: Schema.Literals(buckets).annotateKey({ description: "Where the money is." }),
  amount: Schema.Int.annotateKey({ description: "Centavos, negative for a decrease." }),
})

const BalanceAfter = Schema.Struct({
  available: Schema.Int.annotateKey({ description: "Centavos that can be withdrawn." }),
  reserve: Schema.Int.annotateKey({ description: "Centavos that become available later." }),
  pending_withdraw: Schema.Int.annotateKey({ description: "Centavos held for the withdrawal in progress." }),
  pending_refund: Schema.Int.annotateKey({ description: "Centavos held for the refunds under way." }),
})

/** One entry of the double-entry ledger. */
export const LedgerEntry = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The entry's id." }),
  object: Schema.Literal("ledger_entry").annotateKey({ description: "The kind of resource." }),
  kind: Schema.Literals(ledgerKinds).annotateKey({ description: "Why money moved." }),
  mode: Schema.Literals(modes).annotateKey({ description: "The mode of the money." }),
  resource_type: Schema.Literals(ledgerResourceTypes).annotateKey({
    description: "The kind of resource that moved it.",
  }),
  resource_id: Schema.String.annotateKey({ description: "The resource that moved it." }),
  event_id: textOrNull.annotateKey({
    description:
      "The event of the same change; null for changes without one: releases of the reserve, and earlier partial refunds.",
  }),
  postings: Schema.Array(Posting).annotateKey({
    description: "The change of each bucket, negative for a decrease; they sum to zero.",
  }),
  balance: BalanceAfter.annotateKey({ description: "The balance after the entry." }),
  created_at: timestamp.annotateKey({ description: "When the money moved." }),
}).annotate({
  identifier: "LedgerEntry",
  examples: [
    {
      id: "le_01KA0000000700000000000000",
      object: "ledger_entry",
      kind: "charge_paid",
      mode: "test",
      resource_type: "transaction",
      resource_id: "txn_01KA0000000700000000000000",
      event_id: "evt_01KA0000000700000000000000",
      postings: [
        { bucket: "external", amount: -12990 },
        { bucket: "available", amount: 12990 },
      ],
      balance: { available: 12990, reserve: 0, pending_withdraw: 0, pending_refund: 0 },
      created_at: "2026-11-21T12:03:00.000Z",
    },
  ],
})
export type LedgerEntry = typeof LedgerEntry.Type
