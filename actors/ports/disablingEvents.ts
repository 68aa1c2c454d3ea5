import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** The endpoint named by the event of its disabling. */
export interface DisabledEndpoint {
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  /** The host of its URL. */
  readonly host: string
}

/** Makes the event of an endpoint that is disabled because its deliveries are dead (docs/contract/endpoints.md#disabling). */
export class DisablingEvents extends Context.Service<
  DisablingEvents,
  {
    /**
     * The event's type, and as its data the seller's profile with the endpoint's id, mode and host as `webhook_endpoint`. The
     * endpoint's URL may hold a secret, which other endpoints must not get.
     */
    readonly make: (
      endpoint: DisabledEndpoint,
    ) => Effect.Effect<{ readonly type: string; readonly data: string }, StoreUnavailable>
  }
>()("corrente/actors/DisablingEvents") {}
