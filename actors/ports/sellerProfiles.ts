import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "./store.ts"

/** Writes the seller profile that `seller.*` events carry (spec 6: document always masked). */
export class SellerProfiles extends Context.Service<
  SellerProfiles,
  {
    /** The event of an endpoint's automatic disabling (spec 3: a notice in the dashboard feed). */
    readonly disablingEvent: (
      sellerId: string,
    ) => Effect.Effect<{ readonly type: string; readonly data: string }, StoreUnavailable>
  }
>()("corrente/actors/SellerProfiles") {}
