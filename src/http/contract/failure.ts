import { Cause } from "effect"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { ErrorCode } from "../../../schema/errorCodes.ts"
import { ApiError, serviceUnavailable } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type { ReplyHeaders, RequestFailure } from "../server/reply.ts"

/** The error for a failure of ours. */
export const internalError = (): ApiError<"internal_error"> =>
  new ApiError({
    code: "internal_error",
    message: "Something went wrong on our side. Try again; if it keeps failing, send us the request_id.",
  })

const storeAway = (): ApiError<"service_unavailable"> =>
  serviceUnavailable("The service cannot reach its store right now. Nothing is lost; try again in a second.")

const dataMoves = (): ApiError =>
  serviceUnavailable(
    "This account's data is moving to another server, which takes seconds. Nothing is lost; repeat the request with the same Idempotency-Key.",
    limits.movingRetrySeconds,
  )

/**
 * The error for a failed program: its own, 503 if the store is unavailable or the program was interrupted by a
 * shutdown; undefined for a defect.
 */
export const failureToError = (cause: Cause.Cause<RequestFailure>): ApiError | undefined => {
  for (const reason of cause.reasons) {
    if (!Cause.isFailReason(reason)) continue
    if (reason.error instanceof ApiError) return reason.error
    if (reason.error instanceof StoreUnavailable) return reason.error.isMoving ? dataMoves() : storeAway()
  }
  return Cause.hasInterruptsOnly(cause) ? storeAway() : undefined
}

/** Codes of status 401 that another cookie would fix. */
const cookieCodes: ReadonlyArray<ErrorCode> = ["session_required", "invalid_credentials", "invalid_mfa_code"]

/** The headers of an error: `Retry-After` (seconds), `Allow`, `WWW-Authenticate`, `X-MFA-Step-Up`. */
export const errorHeaders = (error: ApiError): ReplyHeaders => {
  const headers: Array<readonly [string, string]> = []
  if (error.retryAfterSeconds !== undefined) headers.push(["Retry-After", String(error.retryAfterSeconds)])
  if (error.allow !== undefined) headers.push(["Allow", error.allow])
  if (error.headers !== undefined) headers.push(...Object.entries(error.headers))
  if (error.status === 401) {
    headers.push(["WWW-Authenticate", cookieCodes.includes(error.code) ? "Cookie" : "Bearer"])
  }
  if (error.code === "mfa_required") headers.push(["X-MFA-Step-Up", "required"])
  return headers
}

/**
 * Tokens of sessions and mails: the two characters of the slot, or 26 of an invite, then 43. Longer ones match too,
 * as misquoted tokens.
 */
const tokenPattern = /(?<![A-Za-z0-9_-])([0-9A-HJKMNP-TV-Z]{2})[A-Za-z0-9_-]{43,}/g

/** Masks API keys and signing secrets; of a text that may hold long random words of its caller, which are no secrets. */
export const maskKeys = (text: string): string =>
  text.replace(/\b(sk_(?:live|test)_|whsec_)[A-Za-z0-9_-]+/g, "$1…")

/** Masks anything that looks like one of our secrets: a library's message may repeat its input. */
export const maskSecrets = (text: string): string => maskKeys(text).replace(tokenPattern, "$1…")
