import { Schema } from "effect"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { lineOf } from "../text.ts"
import { pixKeyTypes } from "./pixKey.ts"

const timestamp = Schema.String.annotate({ format: "date-time" })
const timestampOrNull = Schema.NullOr(timestamp)

/** States of a withdrawal (`docs/contract/withdrawals.md#states`). */
export const withdrawalStatuses = [
  "awaiting",
  "approved",
  "rejected",
  "processing",
  "successful",
  "failed",
  "cancelled",
] as const
export type WithdrawalStatus = (typeof withdrawalStatuses)[number]

/**
 * Body of POST /v1/withdrawals. Amounts start at 1; those below the minimum are 409
 * (`docs/contract/withdrawals.md#create`).
 */
export const CreateWithdrawal = Schema.Struct({
  amount: Schema.Int.check(
    Schema.isBetween({ minimum: limits.amountMin, maximum: limits.amountMax }),
  ).annotateKey({
    description: `Centavos that arrive at the bank account, at least ${limits.withdrawalAmountMin}; the fee comes on top.`,
  }),
  pix_key_id: Schema.String.check(Schema.isBetweenCodePoints(1, limits.idLengthMax)).annotateKey({
    description: "One of your verified keys, from `GET /v1/pix-keys`.",
  }),
  description: Schema.optionalKey(Schema.NullOr(lineOf(0, limits.withdrawalDescriptionLengthMax))),
}).annotate({
  identifier: "CreateWithdrawal",
  examples: [{ amount: 10_000, pix_key_id: "pk_01KAH2Q7C8000000000000000A", description: "November" }],
})
export type CreateWithdrawal = typeof CreateWithdrawal.Type

/** A withdrawal (`docs/contract/withdrawals.md#fields`). */
export const Withdrawal = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("withdrawal"),
  mode: Schema.Literals(modes),
  status: Schema.Literals(withdrawalStatuses),
  amount: Schema.Int.annotateKey({ description: "Centavos that arrive at the bank account." }),
  fee: Schema.Int.annotateKey({ description: "What we keep when the withdrawal arrives, in centavos." }),
  total: Schema.Int.annotateKey({ description: "Centavos that leave the balance: `amount` plus `fee`." }),
  currency: Schema.Literal("BRL"),
  description: Schema.NullOr(Schema.String),
  pix_key_id: Schema.String,
  pix_key: Schema.Struct({ type: Schema.Literals(pixKeyTypes), value: Schema.String }).annotateKey({
    description: "As it was when the withdrawal was requested; the value is masked.",
  }),
  end_to_end_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The bank's id of the transfer; set once it succeeds.",
  }),
  failure_reason: Schema.NullOr(Schema.String).annotateKey({ description: "Why it failed or was rejected." }),
  created_at: timestamp,
  updated_at: timestamp,
  approved_at: timestampOrNull,
  processing_at: timestampOrNull,
  completed_at: timestampOrNull,
}).annotate({ identifier: "Withdrawal" })
export type Withdrawal = typeof Withdrawal.Type

/** Whether a withdrawal has reached a final state; until then the seller cannot request another. */
export const isWithdrawalOver = (status: WithdrawalStatus): boolean =>
  status !== "awaiting" && status !== "approved" && status !== "processing"
