import { Schema } from "effect"

/** Values of `error.type` (`docs/contract/errors.md#types`). */
export const errorTypes = [
  "invalid_request_error",
  "authentication_error",
  "permission_error",
  "not_found_error",
  "idempotency_error",
  "rate_limit_error",
  "acquirer_error",
  "internal_error",
] as const
export type ErrorType = (typeof errorTypes)[number]

/**
 * Every code with its status and type, in one table, so that no route can invent a pair
 * (`docs/contract/errors.md#codes`).
 */
export const errorCodes = {
  validation_failed: [400, "invalid_request_error"],
  invalid_url: [400, "invalid_request_error"],
  invalid_event_type: [400, "invalid_request_error"],
  invalid_cursor: [400, "invalid_request_error"],
  missing_idempotency_key: [400, "invalid_request_error"],
  invalid_api_key: [401, "authentication_error"],
  session_required: [401, "authentication_error"],
  invalid_mfa_code: [401, "authentication_error"],
  invalid_credentials: [401, "authentication_error"],
  invalid_signature: [401, "authentication_error"],
  mfa_required: [403, "permission_error"],
  kyc_required: [403, "permission_error"],
  seller_not_allowed: [403, "permission_error"],
  payout_locked: [403, "permission_error"],
  permission_denied: [403, "permission_error"],
  origin_not_allowed: [403, "permission_error"],
  resource_not_found: [404, "not_found_error"],
  method_not_allowed: [405, "invalid_request_error"],
  invalid_state: [409, "invalid_request_error"],
  pix_key_not_verified: [409, "invalid_request_error"],
  insufficient_balance: [409, "invalid_request_error"],
  daily_limit_exceeded: [409, "invalid_request_error"],
  idempotency_in_progress: [409, "idempotency_error"],
  length_required: [411, "invalid_request_error"],
  payload_too_large: [413, "invalid_request_error"],
  unsupported_media_type: [415, "invalid_request_error"],
  idempotency_key_reused: [422, "idempotency_error"],
  rate_limited: [429, "rate_limit_error"],
  internal_error: [500, "internal_error"],
  acquirer_error: [502, "acquirer_error"],
  service_unavailable: [503, "internal_error"],
} as const satisfies Record<string, readonly [number, ErrorType]>
export type ErrorCode = keyof typeof errorCodes

/**
 * An error for the caller, rendered as the error envelope. `message` says what to do, `param` is the path of the
 * offending field, `retryAfterSeconds` becomes `Retry-After`.
 */
export class ApiError extends Schema.TaggedError<ApiError>()("ApiError", {
  code: Schema.Literals(Object.keys(errorCodes) as [ErrorCode, ...Array<ErrorCode>]),
  message: Schema.String,
  param: Schema.optionalKey(Schema.String),
  details: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  retryAfterSeconds: Schema.optionalKey(Schema.Int),
  allow: Schema.optionalKey(Schema.String),
  /** Further headers of the response. */
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
}) {
  /** HTTP status of the code. */
  get status(): number {
    return errorCodes[this.code][0]
  }
}

/** The error envelope (`docs/contract/errors.md#envelope`). */
export const ErrorEnvelope = Schema.Struct({
  error: Schema.Struct({
    type: Schema.Literals(errorTypes),
    code: Schema.String,
    message: Schema.String,
    param: Schema.optionalKey(Schema.String).annotateKey({
      description: "The path of the offending field, such as `items.0.quantity`.",
    }),
    request_id: Schema.String.annotateKey({ description: "Send it to us when you need help." }),
    details: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  }),
}).annotate({ identifier: "Error", description: "Every error response." })

/**
 * Renders the envelope's exact JSON text. A replayed error keeps it, `request_id` included
 * (`docs/contract/errors.md#replays`).
 */
export const renderError = (error: ApiError, requestId: string): string =>
  JSON.stringify({
    error: {
      type: errorCodes[error.code][1],
      code: error.code,
      message: error.message,
      param: error.param,
      request_id: requestId,
      details: error.details,
    },
  })

/** 400 `validation_failed` at a field (`customer.email`, `items.0.quantity`). */
export const validationFailed = (param: string | undefined, message: string): ApiError =>
  new ApiError({ code: "validation_failed", message, ...(param === undefined ? {} : { param }) })

/** The forms of our ids. */
const idPattern = /^(?:[a-z]{2,4}_[0-9A-Z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/**
 * 404 `resource_not_found`, the same for unknown ids and those of other sellers or modes, so that it reveals nothing.
 * A malformed id is not repeated: it may be a secret in the wrong place.
 */
export const resourceNotFound = (what: string, id: string): ApiError =>
  new ApiError({
    code: "resource_not_found",
    message: `No such ${what}${idPattern.test(id) ? `: '${id}'` : ""}. Check the id, and that the key or session belongs to the same seller and mode.`,
  })

/** 503 with `Retry-After`: Redis is unreachable, a mailbox is full, or the process is draining. */
export const serviceUnavailable = (message: string, retryAfterSeconds = 1): ApiError =>
  new ApiError({ code: "service_unavailable", message, retryAfterSeconds })
