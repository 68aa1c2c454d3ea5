import { Schema } from "effect"
import { exampleTraceId, textOrNull, timestamp, timestampOrNull, traceId } from "../fields.ts"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { type RefundStatus, refundOrigins, refundStatuses } from "../names.ts"
import { lineOf } from "../text.ts"

export { type RefundOrigin, type RefundStatus, refundStatuses } from "../names.ts"

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

/** A refund that waits to be sent: what its creation answers. */
export const exampleRefund = {
  id: "rfd_01KA0000000700000000000000",
  object: "refund",
  trace_id: exampleTraceId,
  transaction_id: "txn_01KA0000000700000000000000",
  mode: "test",
  amount: 500,
  currency: "BRL",
  status: "pending",
  reason: "One of two shirts came back",
  origin: "seller",
  failure_code: null,
  failure_reason: null,
  return_id: null,
  created_at: "2026-11-21T12:00:00.000Z",
  updated_at: "2026-11-21T12:00:00.000Z",
  completed_at: null,
} as const

/** A refund (`docs/contract/refunds.md#fields`). Field order is the wire order. */
export const Refund = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The refund's id." }),
  object: Schema.Literal("refund").annotateKey({ description: "The kind of resource." }),
  trace_id: traceId,
  transaction_id: Schema.String.annotateKey({ description: "The charge." }),
  mode: Schema.Literals(modes).annotateKey({ description: "The charge's mode." }),
  amount: Schema.Int.annotateKey({ description: "Centavos that go back to the payer." }),
  currency: Schema.Literal("BRL").annotateKey({ description: "The currency (ISO 4217)." }),
  status: Schema.Literals(refundStatuses).annotateKey({
    description: "`pending` and `processing` refunds hold their money; the others are final.",
  }),
  reason: textOrNull.annotateKey({
    description:
      "As requested; `MED_FRAUDE`, `MED_OPERACIONAL` or `MED_PIX_AUTOMATICO` where the payer's bank took the money back.",
  }),
  origin: Schema.Literals(refundOrigins).annotateKey({
    description: "Who began it; `partner`: it began at the acquirer.",
  }),
  failure_code: textOrNull.annotateKey({ description: "The bank's code, such as `AM09`." }),
  failure_reason: textOrNull.annotateKey({ description: "Why it failed." }),
  return_id: textOrNull.annotateKey({
    description: "The bank's id of the return; set once it succeeds, where the bank gives one.",
  }),
  created_at: timestamp.annotateKey({ description: "When it was requested." }),
  updated_at: timestamp.annotateKey({ description: "When it last changed." }),
  completed_at: timestampOrNull.annotateKey({ description: "When it succeeded or failed; null before." }),
}).annotate({ identifier: "Refund", examples: [exampleRefund] })
export type Refund = typeof Refund.Type

/** Whether a refund has reached a final state; until then its money is held. */
export const isRefundOver = (status: RefundStatus): boolean => status === "succeeded" || status === "failed"
