import { Context, type Effect } from "effect"
import type { Principal } from "../../../actors/ports/principal.ts"
import type { StoreUnavailable } from "../../../actors/ports/store.ts"
import type { ApiError } from "../../../schema/errors.ts"

/**
 * Who is asking (spec 5.1). Two steps, because a key's seller and mode never change and may be cached, while its
 * validity is asked in the same round trip as the handler's own read or commit (design rule 3).
 */
export class Authenticator extends Context.Service<
  Authenticator,
  {
    /**
     * The principal of an `Authorization` header; undefined where the header is absent. May answer from a cache of
     * facts that never change; fails with 401 `invalid_api_key`.
     */
    readonly authenticate: (
      authorization: string | undefined,
    ) => Effect.Effect<Principal, ApiError | StoreUnavailable>
    /** Asks whether the key is valid now, for requests that fail before a handler asks; fails with 401. */
    readonly confirm: (principal: Principal) => Effect.Effect<void, ApiError | StoreUnavailable>
  }
>()("corrente/http/Authenticator") {}
