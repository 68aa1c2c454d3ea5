import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

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

/** Sellers' trackers, one a mode. */
export class TrackerStore extends Context.Service<
  TrackerStore,
  {
    readonly get: (sellerId: string, mode: Mode) => Effect.Effect<StoredTracker | undefined, StoreUnavailable>
    /**
     * Creates a mode's tracker, or changes its URL and headers; an existing one keeps its `createdAt`. From then on it is owed
     * every event of `types`.
     */
    readonly put: (
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
    readonly delete: (
      sellerId: string,
      mode: Mode,
      operationId: string,
    ) => Effect.Effect<{ readonly kind: "deleted" | "missing" }, StoreUnavailable>
  }
>()("corrente/actors/TrackerStore") {}
