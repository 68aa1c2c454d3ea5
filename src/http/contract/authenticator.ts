import { Context, type Effect } from "effect"
import type { KeyPrincipal, Principal } from "../../../actors/values/principal.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { ApiError } from "../../../schema/errors.ts"

/**
 * Authenticates API keys in steps (`docs/contract/api-keys.md#authentication`). A key's seller, mode, scopes and addresses never
 * change and may be cached; its validity is checked in the same round trip as the handler's own read or commit.
 */
export class Authenticator extends Context.Service<
  Authenticator,
  {
    /**
     * The principal of an `Authorization` header. May answer from a cache of facts that never change; fails with 401
     * `invalid_api_key`.
     */
    readonly authenticate: (
      authorization: string | undefined,
    ) => Effect.Effect<KeyPrincipal, ApiError | StoreUnavailable>
    /** Whether the key works from the client's address; if so, its use is noted. The address is asked for only where it matters. */
    readonly admits: (principal: KeyPrincipal, address: () => string) => boolean
    /** Checks that the key is valid now, for requests that fail before a handler checks it; fails with 401. */
    readonly confirm: (
      principal: Principal,
    ) => Effect.Effect<void, ApiError<"invalid_api_key"> | StoreUnavailable>
  }
>()("corrente/http/Authenticator") {}
