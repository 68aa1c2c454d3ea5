import { Context, type Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** An answered request to be logged, without its body, query and path. */
export interface AnsweredRequest {
  readonly atMillis: number
  readonly requestId: string
  readonly method: string
  /** The route's template, with `:name` for what varies: ids and tokens of the path are not kept. */
  readonly route: string
  readonly status: number
  /** From its head to its answer. */
  readonly millis: number
  /** Undefined: a session asked. */
  readonly apiKeyId: string | undefined
  /** Undefined: unknown. */
  readonly ipAddress: string | undefined
  readonly idempotencyKey: string | undefined
  /** What a refusal said; undefined where nothing was refused. */
  readonly error:
    | { readonly code: string; readonly param: string | undefined; readonly message: string }
    | undefined
}

/** An entry of the log. Its `atMillis` is the time of its id. */
export interface LoggedEntry extends AnsweredRequest {
  /** Orders the entries of a mode, as the ids of a Redis Stream do. */
  readonly id: string
}

/** A page of the log, newest first. */
export interface RequestsWanted {
  /** Refused requests (status 400 or more), the others, or both. */
  readonly outcome: "refused" | "answered" | "all"
  /** Only entries with ids below this one. */
  readonly beforeId: string | undefined
  readonly limit: number
  /** Both inclusive, in ms; undefined: without that end. */
  readonly fromMillis?: number | undefined
  readonly toMillis?: number | undefined
  /** Only entries for which it is true. Left out: all. */
  readonly matches?: (entry: LoggedEntry) => boolean
}

/** Up to `limit` entries; `nextBeforeId` begins the next page, and is undefined at the end. */
export interface RequestsFound {
  readonly entries: ReadonlyArray<LoggedEntry>
  readonly nextBeforeId: string | undefined
}

/** The newest requests of sellers' modes (docs/contract/request-log.md#what-is-kept). */
export class RequestLogStore extends Context.Service<
  RequestLogStore,
  {
    /**
     * Adds some of a mode, oldest first; returns how many it kept. Those beyond a credential's share of a minute are left out, but a
     * refused one then takes the place of the newest that was not.
     */
    readonly note: (
      feed: Feed,
      requests: ReadonlyArray<AnsweredRequest>,
    ) => Effect.Effect<number, StoreUnavailable>
    /** A page of a mode's requests that are not too old. */
    readonly list: (feed: Feed, wanted: RequestsWanted) => Effect.Effect<RequestsFound, StoreUnavailable>
  }
>()("corrente/actors/RequestLogStore") {}
