import { Context, type Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { StoreUnavailable } from "./store.ts"

/** An endpoint of a mode. */
export interface EndpointScope {
  readonly feed: Feed
  readonly endpointId: string
}

/** An endpoint's fields as texts, under the names of its record; no secret among them. */
export type EndpointFields = Readonly<Record<string, string>>

/** What a seller changes of an endpoint; absent fields stay. */
export interface EndpointChange {
  readonly url?: string
  /** Catalog types, or `*`. */
  readonly events?: ReadonlyArray<string>
  /** Empty: none. */
  readonly description?: string
  /**
   * True resets why and when it was disabled, and its dead in a row (spec 3); false, where it is enabled, says that its
   * seller disabled it.
   */
  readonly enabled?: boolean
}

/** A ping to be: its event's data, and the id that its attempt is promised. */
export interface Ping {
  readonly deliveryId: string
  readonly data: string
}

/** How an endpoint did in the last seven days, to the hour; pings do not count (spec 4.3). */
export interface EndpointStats {
  readonly attempts: number
  readonly successes: number
  readonly lastPingAtMillis: number | undefined
  readonly lastPingSucceeded: boolean | undefined
}

/** Webhook endpoints after their creation (spec 4.3). Refusals are values; `missing` is one that is deleted or foreign. */
export class EndpointStore extends Context.Service<
  EndpointStore,
  {
    readonly get: (scope: EndpointScope) => Effect.Effect<EndpointFields | undefined, StoreUnavailable>
    /** Changes it; fan-out follows in the same step. */
    readonly update: (
      scope: EndpointScope,
      change: EndpointChange,
    ) => Effect.Effect<EndpointFields | undefined, StoreUnavailable>
    /** It vanishes from lists, limit and fan-out; what is owed to it ends as `endpoint_disabled` (spec 3). */
    readonly delete: (
      scope: EndpointScope,
      operation: string,
    ) => Effect.Effect<{ readonly kind: "deleted" | "missing" }, StoreUnavailable>
    /** Gives it another secret (ciphertext); deliveries carry both signatures until the time that is answered. */
    readonly rotateSecret: (
      scope: EndpointScope,
      secret: string,
      secretPrefix: string,
    ) => Effect.Effect<
      { readonly kind: "rotated"; readonly previousUntilMillis: number } | { readonly kind: "missing" },
      StoreUnavailable
    >
    /** Appends a `ping` event to the feed and owes it to this endpoint alone, enabled or not. */
    readonly ping: (
      scope: EndpointScope,
      ping: Ping,
    ) => Effect.Effect<{ readonly kind: "queued" | "missing" }, StoreUnavailable>
    readonly stats: (scope: EndpointScope) => Effect.Effect<EndpointStats | undefined, StoreUnavailable>
    /**
     * Owes once more, at once, what ended as failed or dead and had an attempt in the window (both ends count); answers
     * how many deliveries. Events that are no longer kept, and pings, are passed over.
     */
    readonly recover: (
      scope: EndpointScope,
      window: { readonly fromMillis: number; readonly toMillis: number },
    ) => Effect.Effect<number, StoreUnavailable>
  }
>()("corrente/actors/EndpointStore") {}
