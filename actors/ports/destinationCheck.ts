import { Context, type Effect } from "effect"
import type { ApiError } from "../../schema/errors.ts"

/** Judges where webhooks may go, before a destination is stored; every attempt judges it again (spec 4.3). */
export class DestinationCheck extends Context.Service<
  DestinationCheck,
  {
    /** Fails with 400 `invalid_url`, param `url`, which says what to change; a name that has no address fails too. */
    readonly check: (url: string) => Effect.Effect<void, ApiError>
  }
>()("corrente/actors/DestinationCheck") {}
