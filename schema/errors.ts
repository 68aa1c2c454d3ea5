import { Schema } from "effect"
import { type ErrorCode, errorCodes, errorTypes } from "./errorCodes.ts"

const ErrorCodes = Schema.Literals(Object.keys(errorCodes) as [ErrorCode, ...Array<ErrorCode>])

/**
 * An error for the caller, rendered as the error envelope. `message` says what to do, `param` is the path of the
 * offending field, `retryAfterSeconds` becomes `Retry-After`.
 */
class AnyApiError extends Schema.TaggedError<AnyApiError>()("ApiError", {
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
    return errorCodes[this.code].status
  }
}

interface ErrorOf<Code extends ErrorCode> extends AnyApiError {
  readonly code: Code
}

/** An error with one of some codes: what fails with it says which, and a route declares them. */
export type ApiError<Code extends ErrorCode = ErrorCode> = [ErrorCode] extends [Code]
  ? ErrorOf<ErrorCode>
  : Code extends ErrorCode
    ? ErrorOf<Code>
    : never

type ErrorOptions = ConstructorParameters<typeof AnyApiError>[0]

export const ApiError = AnyApiError as unknown as {
  new <const Code extends ErrorCode>(options: ErrorOptions & { readonly code: Code }): ApiError<Code>
  readonly prototype: ErrorOf<ErrorCode>
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
    type: errorCodes[code].type,
    code,
    message: errorCodes[code].example,
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
      type: errorCodes[error.code].type,
      code: error.code,
      message: error.message,
      param: error.param,
      request_id: requestId,
      details: error.details,
    },
  })

/** 400 `validation_failed` at a field (`customer.email`, `items.0.quantity`). */
export const validationFailed = (param: string | undefined, message: string): ApiError<"validation_failed"> =>
  new ApiError({ code: "validation_failed", message, ...(param === undefined ? {} : { param }) })

/** The forms of our ids. */
const idPattern = /^(?:[a-z]{2,4}_[0-9A-Z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/**
 * 404 `resource_not_found`, the same for unknown ids and those of other sellers or modes, so that it reveals nothing.
 * A malformed id is not repeated: it may be a secret in the wrong place.
 */
export const resourceNotFound = (what: string, id: string): ApiError<"resource_not_found"> =>
  new ApiError({
    code: "resource_not_found",
    message: `No such ${what}${idPattern.test(id) ? `: '${id}'` : ""}. Check the id, and that the key or session belongs to the same seller and mode.`,
  })

/** 503 with `Retry-After`: Redis is unreachable, a mailbox is full, or the process is draining. */
export const serviceUnavailable = (message: string, retryAfterSeconds = 1): ApiError<"service_unavailable"> =>
  new ApiError({ code: "service_unavailable", message, retryAfterSeconds })
