import { hash } from "node:crypto"
import { Effect } from "effect"
import type { Identifiers } from "../../../actors/ports/identifiers.ts"
import type { CreateAnswer } from "../../../actors/seller/createAnswer.ts"
import type { IdempotencyScope } from "../../../actors/values/idempotency.ts"
import type { AccessRefusal } from "../../../actors/values/principal.ts"
import { ApiError } from "../../../schema/errors.ts"
import type { JsonReply } from "../server/reply.ts"
import { keyRevoked } from "./page.ts"

/** The parts of a decoded request that identify it under its Idempotency-Key. */
interface IdempotentRequest {
  readonly header: (name: "idempotency-key") => string
  readonly rawBody: Uint8Array
}

/** The idempotency scope of a request (`docs/contract/README.md#idempotency`); each call is an execution of its own. */
export const idempotencyScope = (
  identifiers: Identifiers["Service"],
  route: string,
  request: IdempotentRequest,
): IdempotencyScope => ({
  route,
  key: request.header("idempotency-key"),
  // An absent body stands for `{}` where a route takes one.
  fingerprint: hash("sha256", request.rawBody.length === 0 ? "{}" : request.rawBody, "base64url"),
  executionId: identifiers.alphanumeric(16),
})

const refusalOf = ({ kind }: AccessRefusal) => {
  switch (kind) {
    case "keyInvalid":
      return keyRevoked()
    case "sellerNotAllowed":
      return new ApiError({
        code: "seller_not_allowed",
        message: "This account is not allowed to operate. Contact support.",
      })
    case "kycRequired":
      return new ApiError({
        code: "kyc_required",
        message: "Live mode requires an approved identification. Submit it with POST /v1/me/kyc.",
      })
  }
}

/** The reply to a create command. A replay differs from the first answer only by its header. */
export const createReply = (
  answer: CreateAnswer,
  restore: (data: string) => string = (data) => data,
): Effect.Effect<
  JsonReply,
  ApiError<
    | "idempotency_in_progress"
    | "idempotency_key_reused"
    | "invalid_api_key"
    | "kyc_required"
    | "seller_not_allowed"
  >
> => {
  switch (answer.kind) {
    case "answered":
      return Effect.succeed({ status: answer.status, body: restore(answer.body) })
    case "replay":
      return Effect.succeed({
        status: answer.status,
        body: restore(answer.body),
        headers: [["Idempotent-Replayed", "true"]],
      })
    case "mismatch":
      return Effect.fail(
        new ApiError({
          code: "idempotency_key_reused",
          param: "Idempotency-Key",
          message:
            "This Idempotency-Key was used with another body or path. Repeat the request with exactly the same bytes, or use a new key.",
        }),
      )
    case "inProgress":
      return Effect.fail(
        new ApiError({
          code: "idempotency_in_progress",
          param: "Idempotency-Key",
          retryAfterSeconds: 1,
          message:
            "A request with this Idempotency-Key is still running. Ask again in a second for its answer.",
        }),
      )
    default:
      return Effect.fail(refusalOf(answer))
  }
}
