import { Context, type Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { Ordering } from "../../schema/resources/endpoint.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** Names an endpoint and its feed. */
export interface EndpointScope {
  readonly feed: Feed
  readonly endpointId: string
}

/** An endpoint's fields as texts, by the names in its record; without secrets. */
export type EndpointFields = Readonly<Record<string, string>>

/** A change of an endpoint; absent fields stay. */
export interface EndpointChange {
  readonly url?: string
  /** The ciphertext of its password; empty: none. */
  readonly urlPassword?: string
  /** Catalog types, or `*`. */
  readonly events?: ReadonlyArray<string>
  /** Empty: none. */
  readonly description?: string
  /** Applies from the next event on; what waits keeps its order (docs/contract/deliveries.md#ordering). */
  readonly ordering?: Ordering
  /**
   * True resets why and when it was disabled, and the count of dead deliveries in a row. False disables it in the name of its
   * seller (docs/contract/endpoints.md#disabling).
   */
  readonly enabled?: boolean
}

/** A ping to send: its event's data, with a test event in it or not, and the id promised for its attempt. */
export interface Ping {
  readonly deliveryId: string
  readonly data: string
}

/** An endpoint's last seven days, to the hour; pings do not count (docs/contract/endpoints.md#statistics). */
export interface EndpointStats {
  readonly attempts: number
  readonly successes: number
  readonly lastPingAtMillis: number | undefined
  readonly lastPingSucceeded: boolean | undefined
}

/** An event that waits at an ordered endpoint. */
export interface WaitingEvent {
  readonly entryId: string
  /** `goneEventType` where the feed no longer keeps it. */
  readonly type: string
  readonly resourceId: string
  /** The entry that has the turn of its resource. */
  readonly turnEntryId: string
}

/** What a recovery looks at, in ms; both ends count. */
export interface RecoveryWindow {
  readonly fromMillis: number
  readonly toMillis: number
}

/** Webhook endpoints after their creation (docs/contract/endpoints.md). Refusals are values; `missing`: deleted or foreign. */
export class EndpointStore extends Context.Service<
  EndpointStore,
  {
    readonly get: (scope: EndpointScope) => Effect.Effect<EndpointFields | undefined, StoreUnavailable>
    /** Changes an endpoint, and fan-out with it in one step. */
    readonly update: (
      scope: EndpointScope,
      change: EndpointChange,
    ) => Effect.Effect<EndpointFields | undefined, StoreUnavailable>
    /**
     * Deletes an endpoint: it no longer counts, and what it is owed ends as `endpoint_disabled`
     * (docs/contract/endpoints.md#deletion).
     */
    readonly delete: (
      scope: EndpointScope,
      operation: string,
    ) => Effect.Effect<{ readonly kind: "deleted" | "missing" }, StoreUnavailable>
    /** Replaces the secret (ciphertext); deliveries carry both signatures until `previousUntilMillis`. */
    readonly rotateSecret: (
      scope: EndpointScope,
      secret: string,
      secretPrefix: string,
    ) => Effect.Effect<
      { readonly kind: "rotated"; readonly previousUntilMillis: number } | { readonly kind: "missing" },
      StoreUnavailable
    >
    /** Appends a `ping` event to the feed and owes it to this endpoint only, enabled or not. */
    readonly ping: (
      scope: EndpointScope,
      ping: Ping,
    ) => Effect.Effect<{ readonly kind: "queued" | "missing" }, StoreUnavailable>
    readonly stats: (scope: EndpointScope) => Effect.Effect<EndpointStats | undefined, StoreUnavailable>
    /** A page of what waits for its turn, by resource and then in the order of the events; undefined: missing. */
    readonly waiting: (
      scope: EndpointScope,
      page: { readonly afterPosition: string | undefined; readonly limit: number },
    ) => Effect.Effect<
      | { readonly events: ReadonlyArray<WaitingEvent>; readonly nextAfterPosition: string | undefined }
      | undefined,
      StoreUnavailable
    >
    /**
     * Owes once more, at once and in the order of their events, the deliveries that ended as failed or dead and had an attempt in
     * the window (both ends count); answers how many. Skips pings, and events that are no longer kept.
     * Owes nothing more once the endpoint is disabled.
     */
    readonly recover: (
      scope: EndpointScope,
      window: RecoveryWindow,
    ) => Effect.Effect<number, StoreUnavailable>
    /**
     * Owes, at once, the events of the window that the endpoint missed while it was disabled, that it subscribes to now and that
     * are not owed to it (docs/contract/endpoints.md#missed-events); answers how many. Works in short steps with `pause` after
     * each: what an interrupted call has owed stays owed, and a repeat does the rest. Ends once it is disabled. With
     * `again` it recovers the deliveries of that window too, each in the place of its event.
     */
    readonly recoverMissed: (
      scope: EndpointScope,
      window: RecoveryWindow,
      pause: Effect.Effect<void>,
      again?: RecoveryWindow,
    ) => Effect.Effect<{ readonly queued: number; readonly missed: number }, StoreUnavailable>
  }
>()("corrente/actors/EndpointStore") {}
