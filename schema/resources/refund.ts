import { Schema } from "effect"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { lineOf } from "../text.ts"

const timestamp = Schema.String.annotate({ format: "date-time" })
const timestampOrNull = Schema.NullOr(timestamp)

/** States of a refund (`docs/contract/refunds.md#states`). */
export const refundStatuses = ["pending", "processing", "succeeded", "failed"] as const
export type RefundStatus = (typeof refundStatuses)[number]

/** Who began a refund. `partner`: it began at the acquirer (`docs/contract/refunds.md#origins`). */
export const refundOrigins = ["seller", "operator", "partner"] as const
export type RefundOrigin = (typeof refundOrigins)[number]

/** Body of POST /v1/transactions/{id}/refunds (`docs/contract/refunds.md#create`); an absent body is `{}`. */
export const CreateRefund = Schema.Struct({
  amount: Schema.optionalKey(
    Schema.NullOr(
      Schema.Int.check(Schema.isBetween({ minimum: limits.amountMin, maximum: limits.amountMax })),
    ),
  ).annotateKey({ description: "In centavos; what is left of the charge by default." }),
  reason: Schema.optionalKey(Schema.NullOr(lineOf(0, limits.refundReasonLengthMax))).annotateKey({
    description: `At most ${limits.refundReasonLengthMax} characters, for yourself; the payer does not see it.`,
  }),
}).annotate({
  identifier: "CreateRefund",
  examples: [{ amount: 500, reason: "One of two shirts came back" }],
})
export type CreateRefund = typeof CreateRefund.Type

/** A refund (`docs/contract/refunds.md#fields`). Field order is the wire order. */
export const Refund = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("refund"),
  transaction_id: Schema.String,
  mode: Schema.Literals(modes),
  amount: Schema.Int.annotateKey({ description: "Centavos that go back to the payer." }),
  currency: Schema.Literal("BRL"),
  status: Schema.Literals(refundStatuses),
  reason: Schema.NullOr(Schema.String).annotateKey({
    description:
      "As requested; `MED_FRAUDE` or `MED_OPERACIONAL` where the payer's bank took the money back.",
  }),
  origin: Schema.Literals(refundOrigins),
  failure_code: Schema.NullOr(Schema.String).annotateKey({ description: "The bank's code, such as `AM09`." }),
  failure_reason: Schema.NullOr(Schema.String),
  return_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The bank's id of the return; set once it succeeds, where the bank gives one.",
  }),
  created_at: timestamp,
  updated_at: timestamp,
  completed_at: timestampOrNull,
}).annotate({ identifier: "Refund" })
export type Refund = typeof Refund.Type

/** Whether a refund has reached a final state; until then its money is held. */
export const isRefundOver = (status: RefundStatus): boolean => status === "succeeded" || status === "failed"
