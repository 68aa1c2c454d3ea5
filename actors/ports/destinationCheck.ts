import { Context, type Effect } from "effect"
import type { ApiError } from "../../schema/errors.ts"

/** Checks a destination before it is stored; every attempt checks again (docs/contract/endpoints.md#destination-rules). */
export class DestinationCheck extends Context.Service<
  DestinationCheck,
  {
    /** Fails with 400 `invalid_url` at `url`, which says what to change; also for a name that has no address. */
    readonly check: (url: string) => Effect.Effect<void, ApiError<"invalid_url">>
    /** The same of an address that browsers go to, not we: its form alone. */
    readonly checkForm: (url: string) => Effect.Effect<void, ApiError<"invalid_url">>
  }
>()("corrente/actors/DestinationCheck") {}
