import { Context, type Effect } from "effect"

/** Why an attempt did not succeed: the `error` values of spec 6 that belong to one HTTP attempt. */
export type AttemptError =
  | `http_${number}`
  | "redirect_not_followed"
  | "timeout"
  | "connection_error"
  | "blocked_destination"
  | "missing_secret"

/** One event on its way to one destination, once. */
export interface AttemptRequest {
  /** The destination as it was registered; it is checked anew at every attempt (spec 4.3). */
  readonly url: string
  /** The exact JSON text to sign and to send. */
  readonly body: string
  /** Signing secrets in plain text, newest first: none, one, or two during a rotation (spec 5). */
  readonly secrets: ReadonlyArray<string>
  /** With true and no secret the attempt is refused as `missing_secret`; a tracker may go unsigned. */
  readonly secretRequired: boolean
  readonly eventId: string
  readonly eventType: string
  /** `whd_…`, another one for every attempt. */
  readonly deliveryId: string
  /** Starts at 1. */
  readonly attempt: number
  /** A tracker's own headers. Those that would replace one of ours, or break the request, are left out. */
  readonly extraHeaders?: Readonly<Record<string, string>>
}

/** What came of it: all that a delivery's row and its detail view need (spec 2). */
export interface AttemptResult {
  readonly outcome: "success" | "failed"
  /** Whether the failure is one that the schedule of spec 6 repeats. False for a success. */
  readonly retriable: boolean
  /** Null for a success. */
  readonly error: AttemptError | null
  /** Null when no complete response head came. */
  readonly statusCode: number | null
  /** From opening or reusing the connection to the response's head, in whole milliseconds; null without a head. */
  readonly responseMillis: number | null
  /** The start of the response's body as text; null without a head, empty when the body is empty. */
  readonly responseBodyExcerpt: string | null
  /**
   * The headers of the request but those of the connection itself (Host, Connection, Content-Length); those of a tracker's
   * own with `***` for their values.
   */
  readonly requestHeaders: Readonly<Record<string, string>>
  /** The destination's host, with its port if that is not 443; empty when the URL cannot be read. */
  readonly targetHost: string
}

/**
 * Makes one webhook attempt. `send` never fails, ends within its deadline (10 s, spec 6), and when interrupted
 * closes what it opened. It opens no more than one connection at a time, so whoever calls it bounds the connections
 * by bounding the sends in flight.
 */
export class Sender extends Context.Service<
  Sender,
  {
    readonly send: (request: AttemptRequest) => Effect.Effect<AttemptResult>
  }
>()("corrente/actors/Sender") {}
