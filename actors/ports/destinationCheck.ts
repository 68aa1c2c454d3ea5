import { Context, type Effect } from "effect"
import type { ApiError } from "../../schema/errors.ts"

/** The URL of an endpoint as it is stored, and the password that it had, which is stored apart. */
export interface EndpointUrl {
  readonly url: string
  /** Undefined: there is none, or the one that is stored stays. */
  readonly password: string | undefined
}

/** Checks a destination before it is stored; every attempt checks again (docs/contract/endpoints.md#destination-rules). */
export class DestinationCheck extends Context.Service<
  DestinationCheck,
  {
    /** Fails with 400 `invalid_url` at `url`, which says what to change; also for a name that has no address. */
    readonly check: (url: string) => Effect.Effect<void, ApiError<"invalid_url">>
    /**
     * The same of an endpoint's URL, which may be that of a Redis Stream. It needs its password, unless `current` is at the same
     * server for the same user.
     */
    readonly checkEndpoint: (
      url: string,
      current?: string,
    ) => Effect.Effect<EndpointUrl, ApiError<"invalid_url">>
    /** The same of an address that browsers go to, not we: its form alone. */
    readonly checkForm: (url: string) => Effect.Effect<void, ApiError<"invalid_url">>
  }
>()("corrente/actors/DestinationCheck") {}
