import { Cause } from "effect"
import { StoreUnavailable } from "../../../actors/ports/store.ts"
import { ApiError, type ErrorCode, serviceUnavailable } from "../../../schema/errors.ts"
import type { ReplyHeaders, RequestFailure } from "../server/request.ts"

/** What a caller is told of a failure that is ours. */
export const internalError = (): ApiError =>
  new ApiError({
    code: "internal_error",
    message: "Something went wrong on our side. Try again; if it stays, send us the request_id.",
  })

const storeAway = (): ApiError =>
  serviceUnavailable("The service cannot reach its store right now. Nothing is lost; try again in a second.")

/**
 * What a caller is told of a program that failed: its own error, 503 where the store is away or the program was
 * interrupted (the process is going down), else undefined for a defect.
 */
export const failureToError = (cause: Cause.Cause<RequestFailure>): ApiError | undefined => {
  for (const reason of cause.reasons) {
    if (!Cause.isFailReason(reason)) continue
    if (reason.error instanceof ApiError) return reason.error
    if (reason.error instanceof StoreUnavailable) return storeAway()
  }
  return Cause.hasInterruptsOnly(cause) ? storeAway() : undefined
}

/** Codes of status 401 that another cookie mends: what sessions and sign-ins answer. */
const cookieCodes: ReadonlyArray<ErrorCode> = ["session_required", "invalid_credentials", "invalid_mfa_code"]

/** The headers an error brings along: `Retry-After` (seconds), `Allow`, `WWW-Authenticate`, and that of the step-up. */
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

/** Tokens of sessions and mails: the slot's two characters or an invite's 26, then 43; longer ones too, as misquoted. */
const tokenPattern = /(?<![A-Za-z0-9_-])([0-9A-HJKMNP-TV-Z]{2})[A-Za-z0-9_-]{43,}/g

/** Masks what looks like one of our secrets: a message of a library may repeat what it was given. */
export const maskSecrets = (text: string): string =>
  text.replace(/\b(sk_(?:live|test)_|whsec_)[A-Za-z0-9_-]+/g, "$1…").replace(tokenPattern, "$1…")
