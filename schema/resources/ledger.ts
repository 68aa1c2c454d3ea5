import { Schema } from "effect"
import { textOrNull, timestamp } from "../fields.ts"
import { modes } from "../ids.ts"
import { buckets, ledgerKinds } from "../names.ts"

export { type Bucket, buckets, type LedgerKind, ledgerKinds } from "../names.ts"

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

const intOrNull = Schema.NullOr(Schema.Int)

/** The answer of GET /v1/me/statement/summary, in centavos. */
export const StatementSummary = Schema.Struct({
  object: Schema.Literal("statement_summary").annotateKey({ description: "The kind of resource." }),
  mode: Schema.Literals(modes).annotateKey({ description: "The mode of the money." }),
  opening: Schema.Int.annotateKey({ description: "What was available before the first day." }),
  closing: Schema.Int.annotateKey({ description: "What was available after the last day, or is now." }),
  gained: intOrNull.annotateKey({ description: "What came in; null where there are too many entries." }),
  lost: intOrNull.annotateKey({ description: "What went out; null where there are too many entries." }),
  returned: intOrNull.annotateKey({
    description:
      "What left for withdrawals and refunds that did not happen, and came back: in neither of the two sums.",
  }),
}).annotate({
  identifier: "StatementSummary",
  examples: [
    {
      object: "statement_summary",
      mode: "test",
      opening: 10000,
      closing: 72_326,
      gained: 72_326,
      lost: 10_000,
      returned: 1002,
    },
  ],
})
export type StatementSummary = typeof StatementSummary.Type

const ReleaseDay = Schema.Struct({
  date: Schema.String.annotateKey({ description: "The day in America/Sao_Paulo." }),
  amount: Schema.Int.annotateKey({ description: "Centavos that become available on it." }),
  charges: Schema.Int.annotateKey({ description: "How many charges they are of." }),
}).annotate({ identifier: "ReleaseDay" })

/** The answer of GET /v1/balance/releases. */
export const BalanceReleases = Schema.Struct({
  object: Schema.Literal("balance_releases").annotateKey({ description: "The kind of resource." }),
  mode: Schema.Literals(modes).annotateKey({ description: "The mode of the money." }),
  currency: Schema.Literal("BRL").annotateKey({ description: "The currency (ISO 4217)." }),
  reserve: Schema.Int.annotateKey({ description: "Centavos in reserve: `data` and `later` together." }),
  data: Schema.Array(ReleaseDay).annotateKey({
    description: "The days on which something becomes available, soonest first.",
  }),
  later: Schema.Int.annotateKey({
    description: "Centavos that become available after these days, or on a day that is not known.",
  }),
}).annotate({
  identifier: "BalanceReleases",
  examples: [
    {
      object: "balance_releases",
      mode: "test",
      currency: "BRL",
      reserve: 3990,
      data: [
        { date: "2026-12-21", amount: 1290, charges: 1 },
        { date: "2026-12-22", amount: 2700, charges: 3 },
      ],
      later: 0,
    },
  ],
})
export type BalanceReleases = typeof BalanceReleases.Type

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

/** What a statement says of the charge behind an entry, and a list of refunds of what they were of. */
export const EntryCharge = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The charge." }),
  customer: Schema.Struct({
    name: Schema.String.annotateKey({ description: "The payer's name." }),
    document: Schema.String.annotateKey({ description: "The payer's CPF or CNPJ, without punctuation." }),
  }).annotateKey({ description: "Who paid." }),
  reference: textOrNull.annotateKey({
    description:
      "Your order number: `reference`, or else `order`, `order_id`, `order_number` or `pedido` of its `metadata`.",
  }),
  txid: Schema.String.annotateKey({ description: "The charge's id at the acquirer and the banks." }),
  end_to_end_id: textOrNull.annotateKey({ description: "The payment's id at the Central Bank." }),
  amount: Schema.Int.annotateKey({ description: "Centavos that the payer paid." }),
  fee: Schema.Int.annotateKey({ description: "Centavos of them that are our fee." }),
  net_amount: Schema.Int.annotateKey({ description: "Centavos that are left of it." }),
}).annotate({ identifier: "LedgerEntryCharge" })
export type EntryCharge = typeof EntryCharge.Type

/** What a statement says of the withdrawal behind an entry. */
export const EntryWithdrawal = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The withdrawal." }),
  amount: Schema.Int.annotateKey({ description: "Centavos of the Pix to the bank account." }),
  fee: Schema.Int.annotateKey({ description: "Our fee in centavos, on top of it." }),
  end_to_end_id: textOrNull.annotateKey({
    description: "The Pix's id at the Central Bank; null until it succeeds.",
  }),
}).annotate({ identifier: "LedgerEntryWithdrawal" })
export type EntryWithdrawal = typeof EntryWithdrawal.Type

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
    description: "The event of the same change; null for changes without one: releases of the reserve.",
  }),
  postings: Schema.Array(Posting).annotateKey({
    description: "The change of each bucket, negative for a decrease; they sum to zero.",
  }),
  balance: BalanceAfter.annotateKey({ description: "The balance after the entry." }),
  created_at: timestamp.annotateKey({ description: "When the money moved." }),
  charge: Schema.optionalKey(Schema.NullOr(EntryCharge)).annotateKey({
    description:
      "With `view=statement`: the charge that moved it or whose refund did; null for other resources, and for charges that test mode has forgotten.",
  }),
  withdrawal: Schema.optionalKey(Schema.NullOr(EntryWithdrawal)).annotateKey({
    description:
      "With `view=statement`: the withdrawal that moved it; null for other resources, and for withdrawals that test mode has forgotten.",
  }),
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
