import { Context, Effect, Layer } from "effect"
import { SellerStore } from "../../actors/ports/sellerStore.ts"
import type { StoreUnavailable } from "../../actors/ports/store.ts"
import { type Principal, sessionKeyHash } from "../../actors/ports/transactionStore.ts"
import { ApiError } from "../../schema/errors.ts"
import { parseApiKey } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { hashApiKey } from "./apiKeySecret.ts"

/**
 * Who an API key belongs to (spec 5.1). That never changes and is remembered; whether the key is still valid is asked
 * in the round trip of what it is used for, or by `confirm` (design rule 3).
 */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** The principal of an `Authorization` header; fails with 401 `invalid_api_key`, which says what to do. */
    readonly authenticate: (
      authorization: string | undefined,
    ) => Effect.Effect<Principal, ApiError | StoreUnavailable>
    /** Asks whether the key is valid now; fails with 401 and forgets it when it is not. */
    readonly confirm: (principal: Principal) => Effect.Effect<void, ApiError | StoreUnavailable>
    /** Forgets a key that was revoked here: the next request under it asks the store. */
    readonly forget: (principal: Principal) => void
  }
>()("corrente/accounts/ApiKeys") {}

const refuse = (message: string) => Effect.fail(new ApiError({ code: "invalid_api_key", message }))

const refusals = {
  missing: "Send an API key of yours: Authorization: Bearer sk_test_… (or sk_live_…).",
  notBearer: "The Authorization header must be 'Bearer ' and an API key: Authorization: Bearer sk_test_….",
  malformed:
    "This is not an API key: they are sk_live_ or sk_test_ and 43 characters. Copy the whole key, without quotes.",
  invalid:
    "This API key is unknown or was revoked. Use a current key, and check that it belongs to this service.",
} as const

/** The credentials of a `Bearer` header (RFC 6750); schemes have no case (RFC 9110, 11.1). */
const bearerPattern = /^bearer +(\S.*)$/i

export const ApiKeysLive = Layer.effect(
  ApiKeys,
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    const known = new Map<string, Principal>()

    const remember = (principal: Principal) => {
      known.set(principal.keyHash, principal)
      if (known.size <= limits.cachedApiKeysMax) return
      const oldest = known.keys().next().value
      if (oldest !== undefined) known.delete(oldest)
    }
    const forget = ({ keyHash }: Principal) => {
      known.delete(keyHash)
    }

    const lookUp = (partition: number, keyHash: string) =>
      Effect.flatMap(sellers.principalOf(partition, keyHash), (found) => {
        if (found === undefined || "kind" in found) return refuse(refusals.invalid)
        remember(found)
        return Effect.succeed(found)
      })

    return ApiKeys.of({
      authenticate: (authorization) => {
        if (authorization === undefined) return refuse(refusals.missing)
        const key = bearerPattern.exec(authorization)?.[1]
        if (key === undefined) return refuse(refusals.notBearer)
        const parsed = parseApiKey(key)
        if (parsed === undefined) return refuse(refusals.malformed)
        const keyHash = hashApiKey(key)
        const principal = known.get(keyHash)
        return principal === undefined ? lookUp(parsed.partition, keyHash) : Effect.succeed(principal)
      },
      confirm: (principal) =>
        // A session was checked when its request was admitted.
        principal.keyHash === sessionKeyHash
          ? Effect.void
          : Effect.flatMap(sellers.isValid(principal), (isValid) => {
              if (isValid) return Effect.void
              forget(principal)
              return refuse(refusals.invalid)
            }),
      forget,
    })
  }),
)
