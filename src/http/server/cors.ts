import type { ReplyHeaders } from "./reply.ts"

/** Response headers that a dashboard's page may read. */
const exposedHeaders =
  "X-Request-Id, Retry-After, X-MFA-Step-Up, Idempotent-Replayed, RateLimit, RateLimit-Policy, X-Server-Time"
/** Request headers that it may send besides the safe ones. */
const allowedHeaders =
  "Content-Type, Idempotency-Key, X-Mode, X-Requested-With, Last-Event-ID, X-Request-Id, traceparent, tracestate"
/** How long a browser may cache a preflight; Chromium caps it at two hours. */
const preflightMaxAgeSeconds = 7_200

/** The pages of other origins that may read answers to requests with cookies (Fetch, "CORS protocol"). */
export interface Cors {
  /** The headers of an answer to a page of this origin; undefined for other origins, and for none. */
  readonly headersFor: (origin: string) => ReplyHeaders | undefined
}

/** CORS for origins in the form of `URL.origin`. Never `*`, because cookies are sent. */
export const makeCors = (origins: ReadonlyArray<string>): Cors => {
  const byOrigin = new Map<string, ReplyHeaders>()
  for (const origin of origins) {
    byOrigin.set(origin, [
      ["Access-Control-Allow-Origin", origin],
      ["Access-Control-Allow-Credentials", "true"],
      ["Access-Control-Expose-Headers", exposedHeaders],
      ["Vary", "Origin"],
    ])
  }
  return { headersFor: (origin) => (origin === "" ? undefined : byOrigin.get(origin)) }
}

/** The further headers of a preflight's answer, for the methods of a path. */
export const preflightHeaders = (methods: ReadonlyArray<string>): ReplyHeaders => [
  ["Access-Control-Allow-Methods", methods.join(", ")],
  ["Access-Control-Allow-Headers", allowedHeaders],
  ["Access-Control-Max-Age", String(preflightMaxAgeSeconds)],
]
