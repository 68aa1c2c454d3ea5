import { errorCodes } from "../errorCodes.ts"
import type { JsonSchema, ResponseObject } from "./openapiTypes.ts"

const header = (name: string): JsonSchema => ({ $ref: `#/components/headers/${name}` })

const rateLimitHeaders = { RateLimit: header("RateLimit"), "RateLimit-Policy": header("RateLimitPolicy") }

/** The status that routes with a rate limit answer. */
const limitedStatus = String(errorCodes.rate_limited.status)

/** What an operation's answers have in their headers. */
export interface HeaderFacts {
  /** Whether it answers a repeated request with the saved response. */
  readonly replays: boolean
  readonly isLimited: boolean
  /** Whether it tells the service's time, in ms. */
  readonly tellsTime: boolean
}

/** The headers of an answer, as references to the components below. */
export const headersOf = (
  status: string,
  { description }: ResponseObject,
  { replays, isLimited, tellsTime }: HeaderFacts,
): Readonly<Record<string, JsonSchema>> => {
  const isSuccess = status.startsWith("2")
  const waits = status === "429" || status === "503" || description.includes("idempotency_in_progress")
  return {
    "X-Request-Id": header("RequestId"),
    ...(waits ? { "Retry-After": header("RetryAfter") } : {}),
    ...(status === "401" ? { "WWW-Authenticate": header("WwwAuthenticate") } : {}),
    ...(isLimited && (status === limitedStatus || isSuccess) ? rateLimitHeaders : {}),
    ...(description.includes("mfa_required") ? { "X-MFA-Step-Up": header("MfaStepUp") } : {}),
    ...(tellsTime && isSuccess ? { "X-Server-Time": header("ServerTime") } : {}),
    ...(replays && isSuccess ? { "Idempotent-Replayed": header("IdempotentReplayed") } : {}),
  }
}

/** Whether an operation answers that a rate limit is reached. */
export const hasRateLimit = (responses: Readonly<Record<string, ResponseObject>>): boolean =>
  responses[limitedStatus] !== undefined

/** Response headers, as components. */
export const componentHeaders = {
  RequestId: {
    description: "Identifies the request; your own value if you sent 8 to 64 characters of `A-Za-z0-9_-`.",
    schema: { type: "string" },
  },
  MfaStepUp: {
    description: "`required`: confirm with `POST /v1/me/auth/step-up`, then repeat the request.",
    schema: { type: "string", enum: ["required"] },
  },
  RateLimit: {
    description:
      'The state of the tightest limit: `"<policy>";r=<requests left>;t=<seconds until it is full again>`.',
    schema: { type: "string" },
  },
  RateLimitPolicy: {
    description: 'That limit: `"<policy>";q=<requests>;w=<seconds>`.',
    schema: { type: "string" },
  },
  WwwAuthenticate: {
    description: "The kind of credential that is missing or wrong: an API key or the session cookie.",
    schema: { type: "string", enum: ["Bearer", "Cookie"] },
  },
  RetryAfter: { description: "Seconds to wait before you try again.", schema: { type: "integer" } },
  ServerTime: {
    description: "When the service answered, in ms: `created_at` of events is by the same clock.",
    schema: { type: "string", format: "date-time" },
  },
  IdempotentReplayed: {
    description:
      "Present when this is the saved response of an earlier request with the same `Idempotency-Key`.",
    schema: { type: "string", enum: ["true"] },
  },
}
