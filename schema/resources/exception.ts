import { Schema } from "effect"
import { DateTimeText } from "../api/common.ts"
import { textOrNull, timestamp, timestampOrNull } from "../fields.ts"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { exceptionActs, exceptionKinds, exceptionStates } from "../names.ts"
import { lineOf } from "../text.ts"

export {
  actsOfKind,
  type ExceptionAct,
  type ExceptionKind,
  type ExceptionState,
  exceptionActs,
  exceptionKinds,
  exceptionStates,
  freezingKinds,
} from "../names.ts"

/** Body of POST /v1/admin/exceptions/{id}/resolve (`docs/contract/exceptions.md#resolve`). */
export const ResolveException = Schema.Struct({
  act: Schema.Literals(exceptionActs).annotateKey({ description: "What to do; each kind has its acts." }),
  reason: lineOf(1, limits.exceptionReasonLengthMax).annotateKey({ description: "Why, for the books." }),
  seller_id: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey({
    description: "Who gets the money; required to credit a `payment_unknown`.",
  }),
  without_bank: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "Whether to settle or fail a `payout_stuck` or `refund_stuck` though the bank does not answer; takes two operators.",
  }),
}).annotate({
  identifier: "ResolveException",
  examples: [{ act: "refund", reason: "Paid twice; the payer asked for it back" }],
})
export type ResolveException = typeof ResolveException.Type

/** Body of POST /v1/admin/exceptions/resolve (`docs/contract/exceptions.md#many-at-once`). */
export const ResolveManyExceptions = Schema.Struct({
  ids: Schema.optionalKey(
    Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(limits.exceptionsPerCallMax)),
  ).annotateKey({ description: "The exceptions; instead of `kind` and `created_before`." }),
  kind: Schema.optionalKey(Schema.Literals(exceptionKinds)).annotateKey({
    description: "All open ones of this kind that were created before `created_before`, 500 at most.",
  }),
  created_before: Schema.optionalKey(DateTimeText).annotateKey({
    description: "With `kind`: later ones are left out.",
  }),
  act: ResolveException.fields.act,
  reason: ResolveException.fields.reason,
  seller_id: ResolveException.fields.seller_id,
}).annotate({
  identifier: "ResolveManyExceptions",
  examples: [
    {
      kind: "payment_unknown",
      created_before: "2026-11-21T03:00:00Z",
      act: "dismiss",
      reason: "From before the service took the account over",
    },
  ],
})
export type ResolveManyExceptions = typeof ResolveManyExceptions.Type

/** The answer to it. */
export const ResolvedExceptions = Schema.Struct({
  resolved: Schema.Int.annotateKey({
    description: "How many the act is done of, or under way.",
    examples: [250],
  }),
  failed: Schema.Array(
    Schema.Struct({
      id: Schema.String.annotateKey({
        description: "The exception.",
        examples: ["exc_01KA0000000700000000000000"],
      }),
      code: Schema.String.annotateKey({
        description:
          "Why: the error's `code`, or `awaiting_second_operator` where that is what it waits for.",
        examples: ["invalid_state"],
      }),
    }),
  ).annotateKey({ description: "Those of which it is not." }),
}).annotate({ identifier: "ResolvedExceptions", examples: [{ resolved: 250, failed: [] }] })

/** A payment that named no charge, credited. */
export const exampleException = {
  id: "exc_01KA0000000700000000000000",
  object: "exception",
  kind: "payment_unknown",
  state: "resolved",
  mode: "live",
  acquirer: "api-pix",
  resource_type: null,
  resource_id: null,
  seller_id: "sel_01KA0000000700000000000000",
  amount: 12990,
  details: { end_to_end_id: "E00000000202611211204ABCDEFGHIJK", txid: null },
  created_at: "2026-11-21T12:00:00.000Z",
  resolved_at: "2026-11-21T12:03:00.000Z",
  resolved_by: null,
  act: "credit",
  reason: null,
} as const

/** An exception (`docs/contract/exceptions.md#fields`). Field order is the wire order. */
export const Exception = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The exception's id." }),
  object: Schema.Literal("exception").annotateKey({ description: "The kind of resource." }),
  kind: Schema.Literals(exceptionKinds).annotateKey({ description: "What differs." }),
  state: Schema.Literals(exceptionStates).annotateKey({
    description: "Whether an operator has acted on it.",
  }),
  mode: Schema.Literals(modes).annotateKey({ description: "The mode of the money." }),
  acquirer: Schema.String.annotateKey({ description: "The acquirer's slug." }),
  resource_type: Schema.NullOr(Schema.Literals(["transaction", "withdrawal", "refund"])).annotateKey({
    description: "The kind of resource it is about; null where it names none of ours.",
  }),
  resource_id: textOrNull.annotateKey({ description: "The resource it is about; null where there is none." }),
  seller_id: textOrNull.annotateKey({ description: "Whose money it is; null while nobody knows." }),
  amount: Schema.Int.annotateKey({ description: "Centavos that the acquirer moved, or is to move." }),
  details: Schema.Record(Schema.String, Schema.Unknown).annotateKey({
    description: "What the acquirer said: `end_to_end_id`, `payout_id`, `status` and the like.",
  }),
  created_at: timestamp.annotateKey({ description: "When it was recorded." }),
  resolved_at: timestampOrNull.annotateKey({ description: "When it was resolved; null before." }),
  resolved_by: textOrNull.annotateKey({
    description: "The operator's user id; with two operators, both, comma-separated.",
  }),
  act: Schema.NullOr(Schema.Literals(exceptionActs)).annotateKey({
    description: "What the operator did; null before.",
  }),
  reason: textOrNull.annotateKey({ description: "Why, as the operator wrote it; null before." }),
}).annotate({ identifier: "Exception", examples: [exampleException] })
export type Exception = typeof Exception.Type
