import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { limits } from "../limits.ts"
import { lineOf } from "../text.ts"
import { idParams } from "./common.ts"

/** Errors that every operator route may answer. */
export const operatorErrors = [
  "session_required",
  "origin_not_allowed",
  "permission_denied",
  "mfa_required",
] as const

/** The operator's reason, kept in the audit log. */
export const decisionFields = {
  reason: Schema.optionalKey(lineOf(0, limits.decisionReasonLengthMax)).annotateKey({
    description: "Kept in the audit log.",
  }),
}

/** The 202 of an act on live money that waits for the same call of another operator (`docs/decisions/0069-two-operators.md`). */
export const AwaitingSecondOperator = Schema.Struct({
  status: Schema.Literal("awaiting_second_operator").annotateKey({
    description: "The same call of another operator carries it out.",
  }),
})
  .annotate({ identifier: "AwaitingSecondOperator" })
  .pipe(HttpApiSchema.status(202))

/** A route by which an operator decides on a resource: takes the decision and answers the updated resource. */
export const operatorDecision = <
  const Payload extends Schema.Top,
  const Success extends Schema.Top | ReadonlyArray<Schema.Top>,
>(
  payload: Payload,
  success: Success,
) =>
  ({
    params: idParams,
    payload,
    success,
    errors: [
      "validation_failed",
      "length_required",
      "payload_too_large",
      "unsupported_media_type",
      ...operatorErrors,
      "resource_not_found",
      "invalid_state",
    ],
  }) as const
