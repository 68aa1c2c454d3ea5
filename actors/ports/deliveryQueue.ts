import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { AttemptStatus, DeliveryTarget } from "../../schema/resources/delivery.ts"
import type { Principal } from "../values/principal.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import type { EventEntry } from "./eventLog.ts"

/**
 * A destination as stored: an endpoint (`we_…`), a charge's postback (`pb_…`) or a tracker (`tr_…`).
 * Each has its own queue, so that destinations do not block each other (docs/contract/deliveries.md#isolation). Secrets are
 * ciphertext here.
 */
export interface Destination {
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  readonly target: DeliveryTarget
  readonly url: string
  /** The password of a Redis Stream, which `url` lacks: ciphertext. */
  readonly urlPassword: string | undefined
  /** False for disabled and deleted endpoints: their deliveries end as `endpoint_disabled`. */
  readonly enabled: boolean
  /** A deleted endpoint gets nothing at all, a disabled one its pings. */
  readonly isDeleted: boolean
  /** A tracker's own headers: ciphertext of a JSON object. */
  readonly headers: string | undefined
  /** Newest first; the second only during a rotation. Empty: the seller has no postback secret. */
  readonly secrets: ReadonlyArray<string>
}

/** One owed delivery, leased to the caller until the lease ends. */
export interface ClaimedDelivery {
  readonly destination: Destination
  /** Has `goneEventType` where the feed no longer keeps it: there is nothing to send, and that is recorded. */
  readonly entry: EventEntry
  /** The number of the attempt to make, from 1. */
  readonly attempt: number
  /** The attempt's id, where it was promised before (manual retry, ping). */
  readonly deliveryId: string | undefined
  /** Fences the record of the attempt, which a later claim makes stale. */
  readonly fence: number
  /** Whether somebody asked for the attempt by hand. */
  readonly manual: boolean
}

/** The record of an attempt. */
export interface AttemptRecord {
  readonly destination: Destination
  readonly entry: EventEntry
  readonly fence: number
  readonly deliveryId: string
  readonly attempt: number
  readonly status: AttemptStatus
  /** JSON text of the list row; `detail` is that of an `AttemptDetail` (actors/endpoint/attemptPlan.ts). */
  readonly row: string
  readonly detail: string
  /** When the next attempt is due, in ms after this record; undefined: the delivery has ended. */
  readonly retryInMillis: number | undefined
  /** The event of the endpoint's automatic disabling; appended only if this record disables the endpoint. */
  readonly disablingEvent: { readonly type: string; readonly data: string } | undefined
}

/** An attempt as stored. */
export interface StoredAttempt {
  readonly row: string
  readonly detail: string
  /** `evt_…` */
  readonly eventId: string
}

/** A page of the delivery list, newest first by id (docs/contract/deliveries.md#list). */
export interface AttemptPage {
  readonly endpointId: string | undefined
  /** `evt_…` */
  readonly eventId: string | undefined
  /** Entries whose deliveries are listed, as the events of a resource; undefined: all. */
  readonly entryIds?: ReadonlyArray<string> | undefined
  readonly eventType: string | undefined
  readonly status: AttemptStatus | undefined
  readonly fromMillis: number | undefined
  readonly toMillis: number | undefined
  readonly beforeId: string | undefined
  readonly limit: number
}

/** Deliveries owed and attempts made (docs/contract/deliveries.md). */
export class DeliveryQueue extends Context.Service<
  DeliveryQueue,
  {
    /** Destinations of a partition with something due now, and the ms until the next one is due (undefined: none). */
    readonly dueDestinations: (
      partition: number,
      skip: number,
    ) => Effect.Effect<
      { readonly destinationIds: ReadonlyArray<string>; readonly nextInMillis: number | undefined },
      StoreUnavailable
    >
    /**
     * Leases up to `deliveriesMax` due deliveries of a destination, and says in how many ms the next is due (undefined: none).
     */
    readonly claim: (
      destinationId: string,
      deliveriesMax: number,
    ) => Effect.Effect<
      { readonly claimed: ReadonlyArray<ClaimedDelivery>; readonly nextInMillis: number | undefined },
      StoreUnavailable
    >
    /** Records an attempt; `stale`: the lease was lost meanwhile and nothing was written. */
    readonly record: (
      record: AttemptRecord,
    ) => Effect.Effect<{ readonly kind: "recorded" | "disabledEndpoint" | "stale" }, StoreUnavailable>
    /**
     * Owes the event of an ended delivery once more, at once, under a new attempt id (docs/contract/deliveries.md#replay). Asked again
     * under the same id, it answers `queued` and does nothing.
     */
    readonly retry: (
      principal: Principal,
      deliveryId: string,
      newDeliveryId: string,
    ) => Effect.Effect<
      {
        readonly kind: "queued" | "missing" | "succeeded" | "scheduled" | "expired" | "keyInvalid"
      },
      StoreUnavailable
    >
    readonly get: (
      principal: Principal,
      deliveryId: string,
    ) => Effect.Effect<StoredAttempt | { readonly kind: "keyInvalid" } | undefined, StoreUnavailable>
    /** A page of rows (JSON texts), short where much was filtered out; `nextBeforeId` continues where it ended. */
    readonly list: (
      principal: Principal,
      page: AttemptPage,
    ) => Effect.Effect<
      | { readonly rows: ReadonlyArray<string>; readonly nextBeforeId: string | undefined }
      | { readonly kind: "keyInvalid" },
      StoreUnavailable
    >
  }
>()("corrente/actors/DeliveryQueue") {}
