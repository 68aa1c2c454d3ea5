import { Context, type Effect } from "effect"
import type { AttemptFault } from "../../schema/names.ts"

/** The `error` values of an attempt that was made (docs/contract/deliveries.md#outcomes). */
export type AttemptError = `http_${number}` | Exclude<AttemptFault, "endpoint_disabled" | "event_expired">

/** One attempt to deliver an event to a destination. */
export interface AttemptRequest {
  /** The destination as registered; every attempt checks it anew (docs/contract/endpoints.md#destination-rules). */
  readonly url: string
  /** The password of a Redis Stream's URL, which `url` lacks, in plain text. */
  readonly urlPassword?: string | undefined
  /** The exact JSON text to sign and to send. */
  readonly body: string
  /** Signing secrets in plain text, newest first: none, one, or two during a rotation. */
  readonly secrets: ReadonlyArray<string>
  /** True: without a secret the attempt fails as `missing_secret`. Trackers may go unsigned. */
  readonly secretRequired: boolean
  readonly eventId: string
  readonly eventType: string
  /** `whd_…`, a new one for every attempt. */
  readonly deliveryId: string
  /** Starts at 1. */
  readonly attempt: number
  /** The trace that the event belongs to, which the request continues; absent where it has none. */
  readonly traceId?: string | undefined
  /** A tracker's own headers, without those that would replace one of ours or break the request. */
  readonly extraHeaders?: Readonly<Record<string, string>>
}

/** The result of an attempt, with everything its row and detail view show. */
export interface AttemptResult {
  readonly outcome: "success" | "failed"
  /** Whether the failure is retried (docs/contract/deliveries.md#outcomes). False for a success. */
  readonly retriable: boolean
  /** Null for a success. */
  readonly error: AttemptError | null
  /** Null without a complete response head, and of a Redis Stream. */
  readonly statusCode: number | null
  /** From opening or reusing the connection to the response head or reply, in whole milliseconds; null without one. */
  readonly responseMillis: number | null
  /** The start of the response's body as text, or Redis' reply; null without a head or reply, empty when the body is empty. */
  readonly responseBodyExcerpt: string | null
  /**
   * The request's headers without those of the connection itself (Host, Connection, Content-Length); the values of a tracker's
   * own headers are `***`.
   */
  readonly requestHeaders: Readonly<Record<string, string>>
  /** Path and query that were asked for; null where nothing was to be sent, and of a Redis Stream. */
  readonly requestPath: string | null
  /** The destination's host, with its port unless that is 443; empty when the URL cannot be parsed. */
  readonly targetHost: string
}

/**
 * The port behind which all kinds of destinations are: HTTPS receivers and Redis Streams. What it promises for each is held by one
 * suite of tests (docs/decisions/0113-redis-streams-as-destinations.md). Makes one attempt. `send` never fails, ends within its deadline of 10 s, and closes what it opened when interrupted.
 * It opens at most one connection at a time, so whoever bounds the sends in flight bounds the connections.
 */
export class Sender extends Context.Service<
  Sender,
  {
    readonly send: (request: AttemptRequest) => Effect.Effect<AttemptResult>
  }
>()("corrente/actors/Sender") {}
