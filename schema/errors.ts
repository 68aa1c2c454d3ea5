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
 * Every code with its status, its type and a message that it comes with, in one table, so that no route can invent a
 * pair (`docs/contract/errors.md#codes`).
 */
export const errorCodes = {
  validation_failed: [400, "invalid_request_error", "amount is required."],
  invalid_url: [400, "invalid_request_error", "Use an address that starts with https://."],
  invalid_event_type: [
    400,
    "invalid_request_error",
    "'transaction.payed' is not an event type you can subscribe to. Use types from GET /v1/event-types, or \"*\" for all.",
  ],
  invalid_cursor: [
    400,
    "invalid_request_error",
    "The cursor does not belong to this list with these filters. Use next_cursor of the previous page with the same filters, or omit it to start over.",
  ],
  missing_idempotency_key: [
    400,
    "invalid_request_error",
    "Send an Idempotency-Key header: a text of your choice that names this operation, the same on retries.",
  ],
  invalid_api_key: [
    401,
    "authentication_error",
    "This API key is no longer valid: it was revoked or rotated. Use a valid key of the same seller.",
  ],
  session_required: [
    401,
    "authentication_error",
    "Sign in first: this route needs a dashboard session, and yours is missing or has ended.",
  ],
  invalid_mfa_code: [
    401,
    "authentication_error",
    "This code is wrong, too old or used already. Send the newest code of the authenticator, or a backup code that was never used.",
  ],
  invalid_credentials: [401, "authentication_error", "The e-mail address or the password is wrong."],
  invalid_signature: [
    401,
    "authentication_error",
    "X-Webhook-Signature is not the HMAC-SHA256 of this body in hex. It was not processed.",
  ],
  mfa_required: [
    403,
    "permission_error",
    "Confirm this with POST /v1/me/auth/step-up first (turn 2FA on, if it is off), then repeat it.",
  ],
  mail_code_required: [
    403,
    "permission_error",
    "A code was mailed to your address, unless one was in the last minute. Send the newest one as mail_code within 15 minutes, with the password.",
  ],
  kyc_required: [
    403,
    "permission_error",
    "Live mode requires an approved identification. Submit it with POST /v1/me/kyc.",
  ],
  seller_not_allowed: [403, "permission_error", "This account is not allowed to operate. Contact support."],
  user_disabled: [
    403,
    "permission_error",
    "This account was disabled, so nobody can sign in to it. Contact support.",
  ],
  payout_locked: [
    403,
    "permission_error",
    "Withdrawals of this account are locked until 2026-11-22T12:00:00.000Z.",
  ],
  permission_denied: [403, "permission_error", "This route is for sellers, and this user has no seller."],
  origin_not_allowed: [
    403,
    "permission_error",
    "This request comes from a page of another site. Serve the dashboard from this service's origin, or name its origin in DASHBOARD_ORIGINS.",
  ],
  resource_not_found: [
    404,
    "not_found_error",
    "No such resource. Check the id, and that the key or session belongs to the same seller and mode.",
  ],
  method_not_allowed: [
    405,
    "invalid_request_error",
    "This path does not support that method. Use GET, HEAD.",
  ],
  invalid_state: [
    409,
    "invalid_request_error",
    "Transaction 'txn_01KA0000000700000000000000' is paid and cannot become expired.",
  ],
  pix_key_not_verified: [
    409,
    "invalid_request_error",
    "This is none of your verified and active PIX keys. Use an id of GET /v1/pix-keys.",
  ],
  insufficient_balance: [409, "invalid_request_error", "10100 centavos are needed, and 5000 are available."],
  daily_limit_exceeded: [
    409,
    "invalid_request_error",
    "This withdrawal would exceed the limit of 20 withdrawals a day; 20 of it are used. Days are America/Sao_Paulo's.",
  ],
  idempotency_in_progress: [
    409,
    "idempotency_error",
    "A request with this Idempotency-Key is still running. Ask again in a second for its answer.",
  ],
  length_required: [
    411,
    "invalid_request_error",
    "A request of this method has no body in chunks (Transfer-Encoding). Leave the body out.",
  ],
  payload_too_large: [
    413,
    "invalid_request_error",
    "The body is larger than 262144 bytes. Send a smaller one.",
  ],
  unsupported_media_type: [
    415,
    "invalid_request_error",
    "Send the body as JSON in UTF-8, with the header Content-Type: application/json.",
  ],
  idempotency_key_reused: [
    422,
    "idempotency_error",
    "This Idempotency-Key was used with another body or path. Repeat the request with exactly the same bytes, or use a new key.",
  ],
  rate_limited: [
    429,
    "rate_limit_error",
    "Too many attempts from this address: 10 a minute are allowed. Try again after Retry-After.",
  ],
  internal_error: [
    500,
    "internal_error",
    "Something went wrong on our side. Try again; if it keeps failing, send us the request_id.",
  ],
  acquirer_error: [
    502,
    "acquirer_error",
    "The acquirer did not create the charge in time. To try again, send it with a new Idempotency-Key.",
  ],
  service_unavailable: [
    503,
    "internal_error",
    "The service is overloaded right now. Try again after Retry-After.",
  ],
} as const satisfies Record<string, readonly [number, ErrorType, string]>
export type ErrorCode = keyof typeof errorCodes

const ErrorCodes = Schema.Literals(Object.keys(errorCodes) as [ErrorCode, ...Array<ErrorCode>])

/**
 * An error for the caller, rendered as the error envelope. `message` says what to do, `param` is the path of the
 * offending field, `retryAfterSeconds` becomes `Retry-After`.
 */
export class ApiError extends Schema.TaggedError<ApiError>()("ApiError", {
  code: ErrorCodes,
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
    type: Schema.Literals(errorTypes).annotateKey({ description: "The kind of error." }),
    code: ErrorCodes.annotateKey({ description: "What went wrong, for programs; codes may be added." }),
    message: Schema.String.annotateKey({ description: "What went wrong and what to do, for people." }),
    param: Schema.optionalKey(Schema.String).annotateKey({
      description: "The path of the offending field, such as `items.0.quantity`.",
    }),
    request_id: Schema.String.annotateKey({ description: "Send it to us when you need help." }),
    details: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)).annotateKey({
      description: "Facts about it, such as the balance or the status that it met.",
    }),
  }).annotateKey({ description: "The error." }),
}).annotate({ identifier: "Error", description: "Every error response." })

/** An example of an error with this code, as the envelope. */
export const exampleError = (code: ErrorCode): typeof ErrorEnvelope.Type => ({
  error: {
    type: errorCodes[code][1],
    code,
    message: errorCodes[code][2],
    ...(code === "validation_failed" ? { param: "amount" } : {}),
    request_id: "req_01KA0000000700000000000000",
  },
})

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
