import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { StoreUnavailable } from "./store.ts"

/** The endpoint that an event of its disabling names. */
export interface DisabledEndpoint {
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  /** Of its URL. */
  readonly host: string
}

/** Writes the seller profile that `seller.*` events carry (spec 6: document always masked). */
export class SellerProfiles extends Context.Service<
  SellerProfiles,
  {
    /**
     * The event of an endpoint's automatic disabling: the profile, and besides as `webhook_endpoint` which one it was, by
     * its id, mode and host. Its URL may bear a secret, which other endpoints must not get.
     */
    readonly disablingEvent: (
      endpoint: DisabledEndpoint,
    ) => Effect.Effect<{ readonly type: string; readonly data: string }, StoreUnavailable>
  }
>()("corrente/actors/SellerProfiles") {}
