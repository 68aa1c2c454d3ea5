import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { StoreUnavailable } from "./store.ts"

/** The endpoint named by the event of its disabling. */
export interface DisabledEndpoint {
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  /** The host of its URL. */
  readonly host: string
}

/** Renders the seller profile in `seller.*` events, the document always masked (docs/contract/sellers.md#events). */
export class SellerProfiles extends Context.Service<
  SellerProfiles,
  {
    /**
     * The event of an endpoint's automatic disabling: the profile, and as `webhook_endpoint` the endpoint's id, mode and host.
     * Its URL may hold a secret, which other endpoints must not get.
     */
    readonly disablingEvent: (
      endpoint: DisabledEndpoint,
    ) => Effect.Effect<{ readonly type: string; readonly data: string }, StoreUnavailable>
  }
>()("corrente/actors/SellerProfiles") {}
