import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { KycStatus, SellerStatus } from "../../schema/resources/seller.ts"
import type { PostbackSecret, StoredSeller } from "./sellerStore.ts"
import type { StoreUnavailable } from "./store.ts"

/** A change of a seller, with its event. */
export interface SellerChange {
  /** The changed seller; its `version` is still the one the change was decided on. */
  readonly seller: StoredSeller
  /** Goes to the feeds of both modes (docs/contract/sellers.md#events); `data` is the profile as JSON text. */
  readonly event: { readonly type: string; readonly data: string }
}

/** A mode's tracker (docs/contract/deliveries.md#trackers). */
export interface StoredTracker {
  /** `tr_…`: one for each seller and mode. */
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  readonly url: string
  /** Ciphertext of its headers as a JSON object. */
  readonly headers: string
  readonly createdAt: string
}

/** A query of an operator's list of sellers, newest first by id. */
export interface SellerListQuery {
  readonly status: SellerStatus | undefined
  readonly kycStatus: KycStatus | undefined
  /** Only ids below it. */
  readonly beforeId: string | undefined
  readonly limit: number
}

/** A page of sellers, shorter than `limit` where many were filtered out. */
export interface SellerPage {
  readonly sellers: ReadonlyArray<StoredSeller>
  /** Undefined on the last page. */
  readonly nextBeforeId: string | undefined
}

/** Changes of a seller by itself or an operator; its postback secret and its trackers. */
export class SellerRecords extends Context.Service<
  SellerRecords,
  {
    /** Writes a change and its events in one step. `stale`: the seller has changed since, and nothing was written. */
    readonly update: (
      change: SellerChange,
    ) => Effect.Effect<{ readonly kind: "updated" | "stale" | "noSeller" }, StoreUnavailable>
    readonly list: (query: SellerListQuery) => Effect.Effect<SellerPage, StoreUnavailable>
    /** The secret that signs deliveries to postbacks and trackers; undefined where there is none yet. */
    readonly postbackSecret: (sellerId: string) => Effect.Effect<PostbackSecret | undefined, StoreUnavailable>
    /** Replaces the secret; the one before ends at once (docs/contract/sellers.md#postback-secret). */
    readonly rotatePostbackSecret: (
      sellerId: string,
      secret: PostbackSecret,
    ) => Effect.Effect<{ readonly kind: "rotated" | "noSeller" }, StoreUnavailable>
    readonly tracker: (
      sellerId: string,
      mode: Mode,
    ) => Effect.Effect<StoredTracker | undefined, StoreUnavailable>
    /**
     * Creates a mode's tracker, or changes its URL and headers; an existing one keeps its `createdAt`. From then on it is owed
     * every event of `types`.
     */
    readonly putTracker: (
      tracker: StoredTracker,
      types: ReadonlyArray<string>,
    ) => Effect.Effect<
      { readonly kind: "put"; readonly createdAt: string } | { readonly kind: "noSeller" },
      StoreUnavailable
    >
    /**
     * Deletes a tracker: it is owed nothing more, and what it is owed already ends as `endpoint_disabled`. The same `operationId`
     * again answers `deleted` again.
     */
    readonly deleteTracker: (
      sellerId: string,
      mode: Mode,
      operationId: string,
    ) => Effect.Effect<{ readonly kind: "deleted" | "missing" }, StoreUnavailable>
  }
>()("corrente/actors/SellerRecords") {}
