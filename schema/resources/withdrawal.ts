import { Schema } from "effect"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { lineOf } from "../text.ts"
import { pixKeyTypes } from "./pixKey.ts"

const timestamp = Schema.String.annotate({ format: "date-time" })
const timestampOrNull = Schema.NullOr(timestamp)

/** spec 3: the states of a withdrawal. */
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

/** Body of POST /v1/withdrawals (spec 4.1). Amounts from 1: what is below the minimum is 409 (decisions 3). */
export const CreateWithdrawal = Schema.Struct({
  amount: Schema.Int.check(Schema.isBetween({ minimum: limits.amountMin, maximum: limits.amountMax })),
  pix_key_id: Schema.String.check(Schema.isBetweenCodePoints(1, limits.idLengthMax)),
  description: Schema.optionalKey(Schema.NullOr(lineOf(0, limits.withdrawalDescriptionLengthMax))),
}).annotate({ identifier: "CreateWithdrawal" })
export type CreateWithdrawal = typeof CreateWithdrawal.Type

/** A withdrawal (spec 2, decisions 3). `amount` arrives at the bank account, `total` leaves the balance. */
export const Withdrawal = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("withdrawal"),
  mode: Schema.Literals(modes),
  status: Schema.Literals(withdrawalStatuses),
  amount: Schema.Int,
  fee: Schema.Int,
  total: Schema.Int,
  currency: Schema.Literal("BRL"),
  description: Schema.NullOr(Schema.String),
  pix_key_id: Schema.String,
  /** As it was when the withdrawal was requested; the value is masked. */
  pix_key: Schema.Struct({ type: Schema.Literals(pixKeyTypes), value: Schema.String }),
  end_to_end_id: Schema.NullOr(Schema.String),
  failure_reason: Schema.NullOr(Schema.String),
  created_at: timestamp,
  updated_at: timestamp,
  approved_at: timestampOrNull,
  processing_at: timestampOrNull,
  completed_at: timestampOrNull,
}).annotate({ identifier: "Withdrawal" })
export type Withdrawal = typeof Withdrawal.Type

/** Whether a withdrawal has reached an end: until then no other may begin (spec 3). */
export const isWithdrawalOver = (status: WithdrawalStatus): boolean =>
  status !== "awaiting" && status !== "approved" && status !== "processing"
