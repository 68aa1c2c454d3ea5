import { Schema } from "effect"
import { modes } from "../ids.ts"

/**
 * decisions 3: where money can stand. `external` is the world outside (payers and bank accounts), `fees` is what the
 * service earned; an entry's postings sum to zero over all five.
 */
export const buckets = ["available", "reserve", "pending_withdraw", "external", "fees"] as const
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
] as const
export type LedgerKind = (typeof ledgerKinds)[number]

/** spec 2, decisions 3: GET /v1/balance, in centavos. */
export const Balance = Schema.Struct({
  object: Schema.Literal("balance"),
  mode: Schema.Literals(modes),
  currency: Schema.Literal("BRL"),
  available: Schema.Int,
  reserve: Schema.Int,
  pending_withdraw: Schema.Int,
}).annotate({ identifier: "Balance" })
export type Balance = typeof Balance.Type

/** One entry of the double-entry ledger (decisions 3); `balance` is what it left. */
export const LedgerEntry = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("ledger_entry"),
  kind: Schema.Literals(ledgerKinds),
  mode: Schema.Literals(modes),
  resource_type: Schema.Literals(["transaction", "withdrawal"]),
  resource_id: Schema.String,
  /** The event of the same commit; null where it emitted none (partial refunds, releases of the reserve). */
  event_id: Schema.NullOr(Schema.String),
  postings: Schema.Array(Schema.Struct({ bucket: Schema.Literals(buckets), amount: Schema.Int })),
  balance: Schema.Struct({ available: Schema.Int, reserve: Schema.Int, pending_withdraw: Schema.Int }),
  created_at: Schema.String.annotate({ format: "date-time" }),
}).annotate({ identifier: "LedgerEntry" })
export type LedgerEntry = typeof LedgerEntry.Type
