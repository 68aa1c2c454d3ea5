import { Schema } from "effect"
import { lineOf } from "../text.ts"
import { errorsOf, idParams } from "./common.ts"

/** What any operator's route may be refused with (decisions 4). */
export const operatorErrors = [
  "session_required",
  "origin_not_allowed",
  "permission_denied",
  "mfa_required",
] as const

/** Why an operator decides so (decisions 3); it stands in the `audit` stream. */
export const decisionFields = {
  reason: Schema.optionalKey(lineOf(0, 500)),
}

/** A route by which an operator decides on one thing: the decision as its body, the thing as it is then as the answer. */
export const operatorDecision = <const Payload extends Schema.Top, const Success extends Schema.Top>(
  payload: Payload,
  success: Success,
) =>
  ({
    disableCodecs: true,
    params: idParams,
    payload,
    success,
    error: errorsOf(
      "validation_failed",
      "length_required",
      "payload_too_large",
      "unsupported_media_type",
      ...operatorErrors,
      "resource_not_found",
      "invalid_state",
    ),
  }) as const
