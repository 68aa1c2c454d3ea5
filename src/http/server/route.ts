import type { Fiber } from "effect"
import type { Principal } from "../../../actors/values/principal.ts"
import type { SessionOwner } from "../../accounts/sessions/sessions.ts"
import type { ErrorPage, Reply, ReplyHeaders, RequestFailure } from "./reply.ts"

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

/** The body of a request: its bytes, or why there are none. */
export type Body = Buffer | "tooLarge" | "tooManyChunks"

/** The parts of a request that were copied before uWebSockets.js' handler returned: raw, undecoded. */
export interface Incoming {
  readonly requestId: string
  /** Raw `Authorization`; undefined if absent. */
  readonly authorization: string | undefined
  /** Path parameters in the order of the pattern, percent-encoded. */
  readonly params: ReadonlyArray<string>
  /** The query string after `?`, percent-encoded. */
  readonly query: string
  /**
   * Values of the route's `headerNames` in their order, "" if absent; or alternating names and values of all headers.
   */
  readonly headers: ReadonlyArray<string>
  readonly contentType: string
  readonly contentEncoding: string
  readonly body: Body
  readonly remoteAddress: string
  /** Who asks, once the route's program knows: their errors are noted. */
  principal?: Principal | undefined
  /** The owner of its session, once the route's program knows. */
  askedBy?: SessionOwner | undefined
}

/**
 * How a route takes part in admission. `work` is done by this process and its store, so that its requests wait for
 * each other. `outside` may wait for others (password hashing, acquirers, mails), so its duration says nothing about
 * this process. `probe` is answered under any load.
 */
export type RouteClass = "work" | "outside" | "probe"

/** A route ready to be registered: what to copy from a request, and the program to run. */
export interface Route {
  /** Upper case. */
  readonly method: string
  /** With `:name` parameters. */
  readonly path: string
  /** The path that stands for it in metrics, where many routes are of one kind. Default: its own. */
  readonly metricsPath?: string
  readonly paramCount: number
  readonly headerNames: ReadonlyArray<string>
  /** From which of them on repeated lines of a header are joined. Default: from none on, the first line stands for all. */
  readonly joinsFrom?: number
  /** Copy all headers, as alternating names and values. */
  readonly takesAllHeaders: boolean
  readonly takesQuery: boolean
  readonly takesBody: boolean
  readonly secured: boolean
  /**
   * Answers `text/event-stream`: its clients give up for good on any status but 200
   * (`docs/decisions/0020-streams-answer-200.md`).
   */
  readonly streams: boolean
  /** The pages that may read its answers, if browsers call it with cookies; else undefined. */
  readonly cors: Cors | undefined
  readonly routeClass: RouteClass
  /** Shown in place of JSON to people whose browser opens the route, where the service itself fails. Default: JSON. */
  readonly errorPage?: ErrorPage
  /** Waits for the acquirer of the key's mode; in the class `outside` if that acquirer is remote. */
  readonly asksAcquirer: boolean
  /** The seller of an `Authorization` header if it is cached; undefined if it would have to be looked up. */
  readonly sellerOf: ((authorization: string) => string | undefined) | undefined
  /** Starts the program. It has its own deadlines and is never interrupted from here. */
  readonly start: (incoming: Incoming) => Fiber.Fiber<Reply, RequestFailure>
}
