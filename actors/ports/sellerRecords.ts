import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { KycStatus, SellerStatus } from "../../schema/resources/seller.ts"
import type { PostbackSecret, StoredSeller } from "./sellerStore.ts"
import type { StoreUnavailable } from "./store.ts"

/** A change of a seller, with the event that tells of it. */
export interface SellerChange {
  /** The seller as it is to be; its `version` is still the one that the change was decided on. */
  readonly seller: StoredSeller
  /** Goes to both modes' feeds (decisions 3); `data` is the profile as JSON text. */
  readonly event: { readonly type: string; readonly data: string }
}

/** A mode's tracker (decisions 5). */
export interface StoredTracker {
  /** `tr_…`: one of each seller and mode. */
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  readonly url: string
  /** Ciphertext of its own headers as a JSON object. */
  readonly headers: string
  readonly createdAt: string
}

/** Which sellers an operator's list shows; newest first by id. */
export interface SellerListQuery {
  readonly status: SellerStatus | undefined
  readonly kycStatus: KycStatus | undefined
  /** The page begins below this id. */
  readonly beforeId: string | undefined
  readonly limit: number
}

/** A page of sellers; it may be short of `limit` where many were looked at in vain. */
export interface SellerPage {
  readonly sellers: ReadonlyArray<StoredSeller>
  /** Undefined at the end. */
  readonly nextBeforeId: string | undefined
}

/** What sellers and operators change of a seller, its postback secret and its trackers. */
export class SellerRecords extends Context.Service<
  SellerRecords,
  {
    /** Writes a change and its events in one step, unless the seller has changed since: `stale`, and nothing is written. */
    readonly update: (
      change: SellerChange,
    ) => Effect.Effect<{ readonly kind: "updated" | "stale" | "noSeller" }, StoreUnavailable>
    readonly list: (query: SellerListQuery) => Effect.Effect<SellerPage, StoreUnavailable>
    /** The secret that signs postbacks and trackers; undefined where there is none yet. */
    readonly postbackSecret: (sellerId: string) => Effect.Effect<PostbackSecret | undefined, StoreUnavailable>
    /** Puts a secret in the place of the one before, which ends at once (spec 5.5). */
    readonly rotatePostbackSecret: (
      sellerId: string,
      secret: PostbackSecret,
    ) => Effect.Effect<{ readonly kind: "rotated" | "noSeller" }, StoreUnavailable>
    readonly tracker: (
      sellerId: string,
      mode: Mode,
    ) => Effect.Effect<StoredTracker | undefined, StoreUnavailable>
    /**
     * Makes a mode's tracker, or changes its URL and headers; one that is there keeps its `createdAt`. From then on it
     * is owed every event of `types`.
     */
    readonly putTracker: (
      tracker: StoredTracker,
      types: ReadonlyArray<string>,
    ) => Effect.Effect<
      { readonly kind: "put"; readonly createdAt: string } | { readonly kind: "noSeller" },
      StoreUnavailable
    >
    /**
     * Ends a tracker: nothing more is owed to it, and what is owed already ends as `endpoint_disabled`. The same
     * `operationId` again answers `deleted` again.
     */
    readonly deleteTracker: (
      sellerId: string,
      mode: Mode,
      operationId: string,
    ) => Effect.Effect<{ readonly kind: "deleted" | "missing" }, StoreUnavailable>
  }
>()("corrente/actors/SellerRecords") {}
