import type { ReplyHeaders } from "./request.ts"

/** What a dashboard's page may read besides the body. */
const exposedHeaders =
  "X-Request-Id, Retry-After, X-MFA-Step-Up, Idempotent-Replayed, RateLimit, RateLimit-Policy"
/** What it may send besides what any page may. */
const allowedHeaders = "Content-Type, Idempotency-Key, X-Mode, X-Requested-With, Last-Event-ID, X-Request-Id"
/** How long a browser may remember what it was allowed; Chromium keeps it two hours at most. */
const preflightMaxAgeSeconds = 7_200

/** Which pages of other origins may read answers that are made for a cookie (Fetch, "CORS protocol"). */
export interface Cors {
  /** What an answer to a page of this origin bears; undefined for origins that are not allowed, and for none. */
  readonly headersFor: (origin: string) => ReplyHeaders | undefined
}

/** CORS for origins as `URL.origin` writes them; no others, and never `*`, since cookies are sent. */
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

/** What a preflight's answer says besides: how these methods of a path may be asked for. */
export const preflightHeaders = (methods: ReadonlyArray<string>): ReplyHeaders => [
  ["Access-Control-Allow-Methods", methods.join(", ")],
  ["Access-Control-Allow-Headers", allowedHeaders],
  ["Access-Control-Max-Age", String(preflightMaxAgeSeconds)],
]
