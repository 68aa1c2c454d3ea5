import type { components } from "./openapi.ts"

type ErrorOfService = components["schemas"]["Error"]["error"]

/**
 * Codes of failures that the service did not name: no answer (`network_error`, `timeout`, `aborted`), an answer without its error
 * (`unexpected_answer`), and calls that were not sent (`invalid_call`).
 */
export type ClientErrorCode = "network_error" | "timeout" | "aborted" | "unexpected_answer" | "invalid_call"

/** Codes of {@link WebhookVerificationError}. */
export type WebhookErrorCode =
  | "signature_missing"
  | "signature_expired"
  | "signature_mismatch"
  | "body_not_json"
  | "secret_missing"

/** Codes may be added at any time, so any text can come (`docs/contract/README.md#versioning`). */
export type CorrenteErrorCode =
  | ErrorOfService["code"]
  | ClientErrorCode
  | WebhookErrorCode
  | (string & Record<never, never>)

/** What a {@link CorrenteError} is made of. */
export interface CorrenteErrorFields {
  readonly code: CorrenteErrorCode
  readonly message: string
  readonly status?: number | undefined
  readonly param?: string | undefined
  readonly requestId?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly cause?: unknown
}

/** Every failure of a call, with the fields of the service's error (`docs/contract/errors.md#envelope`). */
export class CorrenteError extends Error {
  override readonly name: string = "CorrenteError"
  /** What to branch on: a code of the service, or of {@link ClientErrorCode}. */
  readonly code: CorrenteErrorCode
  /** The HTTP status; undefined where there was no answer. */
  readonly status: number | undefined
  /** The offending field (`customer.email`), parameter or header. */
  readonly param: string | undefined
  /** The name of the request, for support. */
  readonly requestId: string | undefined
  /** Numbers and reasons, for some codes. */
  readonly details: Readonly<Record<string, unknown>> | undefined
  /** When the service asks to come again. */
  readonly retryAfterSeconds: number | undefined

  constructor(fields: CorrenteErrorFields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause })
    this.code = fields.code
    this.status = fields.status
    this.param = fields.param
    this.requestId = fields.requestId
    this.details = fields.details
    this.retryAfterSeconds = fields.retryAfterSeconds
  }
}

/** A body that was not signed with this secret, or not lately. Answer 400 and do not read the body. */
export class WebhookVerificationError extends CorrenteError {
  override readonly name = "WebhookVerificationError"

  constructor(code: WebhookErrorCode, message: string) {
    super({ code, message })
  }
}

/** A call that cannot be sent as it is; `param` names what is wrong with it. */
export const invalidCall = (param: string, message: string, cause?: unknown): CorrenteError =>
  new CorrenteError({ code: "invalid_call", param, message, cause })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Seconds of `Retry-After`, which may be a number or a date. */
const retryAfterSecondsOf = (header: string | null): number | undefined => {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const atMillis = Date.parse(header)
  return Number.isNaN(atMillis) ? undefined : Math.max(0, (atMillis - Date.now()) / 1_000)
}

const errorIn = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) && isObject(body.error) ? body.error : {}
  } catch {
    return {}
  }
}

/** The error of an answer that is no success; one without the service's envelope came from something before it. */
export const errorOfAnswer = (status: number, headers: Headers, text: string): CorrenteError => {
  const { code, message, param, request_id, details } = errorIn(text)
  return new CorrenteError({
    code: textOf(code) ?? "unexpected_answer",
    message: textOf(message) ?? `The answer was ${status} without an error of Corrente.`,
    status,
    param: textOf(param),
    requestId: textOf(request_id) ?? headers.get("x-request-id") ?? undefined,
    details: isObject(details) ? details : undefined,
    retryAfterSeconds: retryAfterSecondsOf(headers.get("retry-after")),
  })
}
