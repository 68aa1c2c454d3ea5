import type { Fiber } from "effect"
import type { Cors } from "./cors.ts"
import type { Reply, RequestFailure } from "./request.ts"

/** The body of a request: its bytes, or why there are none. */
export type Body = Buffer | "tooLarge"

/** What the exchange copied out of a request before its handler returned: raw, undecoded. */
export interface Incoming {
  readonly requestId: string
  /** Raw `Authorization`; undefined where absent. */
  readonly authorization: string | undefined
  /** Path parameters in the order of the pattern, percent-encoded. */
  readonly params: ReadonlyArray<string>
  /** What stands after `?`, percent-encoded. */
  readonly query: string
  /** Values of the route's `headerNames`, in their order, "" where absent; or names and values in turns of all. */
  readonly headers: ReadonlyArray<string>
  readonly contentType: string
  readonly contentEncoding: string
  readonly body: Body
  readonly remoteAddress: string
}

/**
 * How a route takes part in the admission of requests. `work` is done by this process and its store, so that its requests
 * wait for each other. `outside` may wait for others: passwords' threads, partners, mails; how long it takes says nothing
 * about this process. `probe` is answered whatever the load.
 */
export type Lane = "work" | "outside" | "probe"

/** A way into the service, ready to be registered: what to copy of a request, and the program to run on it. */
export interface Route {
  /** Upper case. */
  readonly method: string
  /** With `:name` parameters. */
  readonly path: string
  readonly paramCount: number
  readonly headerNames: ReadonlyArray<string>
  /** Instead of some headers all are copied, names and values in turns. */
  readonly takesAllHeaders: boolean
  readonly takesQuery: boolean
  readonly takesBody: boolean
  readonly secured: boolean
  /** Answers `text/event-stream`: clients of it give up for good on any status but 200 (decisions 5). */
  readonly streams: boolean
  /** Whose pages may read its answers, where browsers are meant to ask for them with cookies; else undefined. */
  readonly cors: Cors | undefined
  readonly lane: Lane
  /** Waits for the payment partner of the key's mode: in the lane `outside` where that partner is remote. */
  readonly asksPartner: boolean
  /** The seller of an `Authorization` header where it is at hand; undefined where it would have to be looked up. */
  readonly sellerOf: ((authorization: string) => string | undefined) | undefined
  /** Starts the program. It has its own deadlines and is never interrupted from here. */
  readonly start: (incoming: Incoming) => Fiber.Fiber<Reply, RequestFailure>
}
