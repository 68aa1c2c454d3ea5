import { Schema } from "effect"
import { exampleTraceId, textOrNull, timestamp, timestampOrNull, traceId } from "../fields.ts"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { type WithdrawalStatus, withdrawalStatuses } from "../names.ts"
import { lineOf } from "../text.ts"
import { pixKeyTypes } from "./pixKey.ts"

export { type WithdrawalStatus, withdrawalStatuses } from "../names.ts"

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
  description: Schema.optionalKey(
    Schema.NullOr(lineOf(0, limits.withdrawalDescriptionLengthMax)),
  ).annotateKey({
    description: "For yourself.",
  }),
}).annotate({
  identifier: "CreateWithdrawal",
  examples: [{ amount: 10_000, pix_key_id: "pk_01KAH2Q7C8000000000000000A", description: "November" }],
})
export type CreateWithdrawal = typeof CreateWithdrawal.Type

/** A withdrawal that awaits approval. */
export const exampleWithdrawal = {
  id: "wd_01KA0000000700000000000000",
  object: "withdrawal",
  trace_id: exampleTraceId,
  mode: "test",
  status: "awaiting",
  amount: 10000,
  fee: 100,
  total: 10100,
  currency: "BRL",
  description: "November",
  pix_key_id: "pk_01KA0000000700000000000000",
  pix_key: { type: "cpf", value: "***.982.247-**" },
  end_to_end_id: null,
  failure_reason: null,
  created_at: "2026-11-21T12:00:00.000Z",
  updated_at: "2026-11-21T12:00:00.000Z",
  approved_at: null,
  processing_at: null,
  completed_at: null,
} as const

const PaidPixKey = Schema.Struct({
  type: Schema.Literals(pixKeyTypes).annotateKey({ description: "The kind of Pix key." }),
  value: Schema.String.annotateKey({ description: "The key, masked." }),
})

/** A withdrawal (`docs/contract/withdrawals.md#fields`). */
export const Withdrawal = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The withdrawal's id." }),
  object: Schema.Literal("withdrawal").annotateKey({ description: "The kind of resource." }),
  trace_id: traceId,
  mode: Schema.Literals(modes).annotateKey({ description: "In `test` no money moves." }),
  status: Schema.Literals(withdrawalStatuses).annotateKey({
    description: "`awaiting` approval, `approved`, `processing` at the bank; the others are final.",
  }),
  amount: Schema.Int.annotateKey({ description: "Centavos that arrive at the bank account." }),
  fee: Schema.Int.annotateKey({ description: "What we keep when the withdrawal arrives, in centavos." }),
  total: Schema.Int.annotateKey({ description: "Centavos that leave the balance: `amount` plus `fee`." }),
  currency: Schema.Literal("BRL").annotateKey({ description: "The currency (ISO 4217)." }),
  description: textOrNull.annotateKey({ description: "As requested." }),
  pix_key_id: Schema.String.annotateKey({ description: "The Pix key it is paid to." }),
  pix_key: PaidPixKey.annotateKey({
    description: "As it was when the withdrawal was requested; the value is masked.",
  }),
  end_to_end_id: textOrNull.annotateKey({
    description: "The bank's id of the transfer; set once it succeeds.",
  }),
  failure_reason: textOrNull.annotateKey({ description: "Why it failed or was rejected." }),
  created_at: timestamp.annotateKey({ description: "When it was requested." }),
  updated_at: timestamp.annotateKey({ description: "When it last changed." }),
  approved_at: timestampOrNull.annotateKey({ description: "When it was approved; null before." }),
  processing_at: timestampOrNull.annotateKey({ description: "When it went to the bank; null before." }),
  completed_at: timestampOrNull.annotateKey({
    description: "When it reached its final status; null before.",
  }),
  returned_at: Schema.optionalKey(timestampOrNull).annotateKey({
    description: "When the bank gave it back after it had succeeded; absent before.",
  }),
  returned_amount: Schema.optionalKey(Schema.Int).annotateKey({
    description: "Centavos that the bank gave back and that a debit did not take again; absent before.",
  }),
  debited_amount: Schema.optionalKey(Schema.Int).annotateKey({
    description:
      "Centavos that the bank paid beyond what had been settled: all of one that ended without money. Absent until a debit.",
  }),
}).annotate({ identifier: "Withdrawal", examples: [exampleWithdrawal] })
export type Withdrawal = typeof Withdrawal.Type

/** Whether a withdrawal has reached a final state; until then the seller cannot request another. */
export const isWithdrawalOver = (status: WithdrawalStatus): boolean =>
  status !== "awaiting" && status !== "approved" && status !== "processing"
