import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { ApiKeyStore, type KeyUse } from "../../../actors/ports/apiKeyStore.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { type KeyPrincipal, type Principal, sessionKeyHash } from "../../../actors/values/principal.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"
import { parseApiKey, partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { addressTest } from "./allowedAddresses.ts"
import { bearerCredentials, hashApiKey } from "./apiKeySecret.ts"

/**
 * Authenticates API keys (docs/contract/api-keys.md#authentication). A key's owner, scopes and addresses never change and are cached;
 * whether the key is still valid is asked in the round trip of the operation, or by `confirm`
 * (docs/architecture.md#rule-3).
 */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** The principal of an `Authorization` header; fails with 401 `invalid_api_key`, whose message says what to do. */
    readonly authenticate: (
      authorization: string | undefined,
    ) => Effect.Effect<KeyPrincipal, ApiError<"invalid_api_key"> | StoreUnavailable>
    /**
     * Whether the key works from the client's address. If so, notes its use. Asks for the address only where the key is bound to some, and
     * once a minute.
     */
    readonly admits: (principal: KeyPrincipal, address: () => string) => boolean
    /** Asks whether the key is valid now; if not, forgets it and fails with 401. */
    readonly confirm: (
      principal: Principal,
    ) => Effect.Effect<void, ApiError<"invalid_api_key"> | StoreUnavailable>
    /** Forgets a key that was revoked here: its next request asks the store. */
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

/** A cached key. `notedAtMillis` is when its use was last noted, from `notedAddress`. */
interface KnownKey {
  readonly principal: KeyPrincipal
  /** The result of `authenticate`, allocated once. */
  readonly granted: Effect.Effect<KeyPrincipal>
  /** Undefined: it works from any address. */
  readonly isAllowed: ((address: string) => boolean) | undefined
  notedAtMillis: number
  notedAddress: string
}

/** How often noted uses are written. */
const usesIntervalMillis = 1_000

export const ApiKeysLive = Layer.effect(
  ApiKeys,
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    const keyStore = yield* ApiKeyStore
    const clock = yield* Clock.Clock
    const known = new LRUCache<string, KnownKey>({
      max: limits.cachedApiKeysMax,
      ttl: limits.actorIdleMillis,
      updateAgeOnGet: true,
      ttlResolution: 0,
      perf: { now: () => clock.currentTimeMillisUnsafe() },
    })
    /** Keys whose last use is to be written, by hash; bounded by the cache. */
    const used = new Map<string, KnownKey>()

    const remember = (principal: KeyPrincipal): KnownKey => {
      const entry = {
        principal,
        granted: Effect.succeed(principal),
        isAllowed: addressTest(principal.allowedIps),
        notedAtMillis: 0,
        notedAddress: "",
      }
      known.set(principal.keyHash, entry)
      return entry
    }
    const forget = ({ keyHash }: Principal) => {
      known.delete(keyHash)
      used.delete(keyHash)
    }

    /** Notes a use once a minute; written in the background. */
    const note = (entry: KnownKey, address: () => string) => {
      const nowMillis = clock.currentTimeMillisUnsafe()
      if (nowMillis - entry.notedAtMillis < limits.lastSeenStepMillis) return
      entry.notedAtMillis = nowMillis
      entry.notedAddress = address()
      used.set(entry.principal.keyHash, entry)
    }

    const writeUses = Effect.gen(function* () {
      const byPartition = new Map<number, Array<KeyUse>>()
      for (const { principal, notedAtMillis, notedAddress } of used.values()) {
        const partition = partitionOfId(principal.sellerId) ?? 0
        const uses = byPartition.get(partition) ?? []
        byPartition.set(partition, uses)
        const ipAddress = notedAddress === "" ? undefined : notedAddress
        uses.push({ keyHash: principal.keyHash, usedAtMillis: notedAtMillis, ipAddress })
      }
      used.clear()
      yield* Effect.forEach(byPartition, ([partition, uses]) => keyStore.touch(partition, uses), {
        discard: true,
      })
    }).pipe(
      // Uses that were not written are noted again a minute later.
      Effect.catch(({ reason }) => Effect.logDebug(`last uses of keys were not written: ${reason}`)),
    )
    const forgetUnused = Effect.sync(() => known.purgeStale())
    const repeat = (everyMillis: number, what: Effect.Effect<void>) =>
      Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(everyMillis), what)))
    yield* repeat(usesIntervalMillis, writeUses)
    yield* repeat(limits.actorIdleMillis, forgetUnused)

    const lookUp = (partition: number, keyHash: string) =>
      Effect.flatMap(sellers.principalOf(partition, keyHash), (found) => {
        if (found === undefined || "kind" in found) return refuse(refusals.invalid)
        return remember(found).granted
      })

    /** Look-ups that are under way, by hash: after a deploy all streams of a key ask at once. */
    const asked = new Map<string, ReturnType<typeof lookUp>>()
    const lookUpOnce = (partition: number, keyHash: string) =>
      Effect.suspend(() => {
        const underWay = asked.get(keyHash)
        if (underWay !== undefined) return underWay
        const done = Deferred.makeUnsafe<KeyPrincipal, ApiError<"invalid_api_key"> | StoreUnavailable>()
        asked.set(keyHash, Deferred.await(done))
        return Effect.onExit(lookUp(partition, keyHash), (exit) =>
          Effect.sync(() => {
            asked.delete(keyHash)
            Deferred.doneUnsafe(done, exit)
          }),
        )
      })

    return ApiKeys.of({
      authenticate: (authorization) => {
        if (authorization === undefined) return refuse(refusals.missing)
        const key = bearerCredentials(authorization)
        if (key === undefined) return refuse(refusals.notBearer)
        const parsed = parseApiKey(key)
        if (parsed === undefined) return refuse(refusals.malformed)
        const keyHash = hashApiKey(key)
        const entry = known.get(keyHash)
        return entry === undefined ? lookUpOnce(parsed.partition, keyHash) : entry.granted
      },
      admits: (principal, address) => {
        const entry = known.peek(principal.keyHash) ?? remember(principal)
        if (entry.isAllowed !== undefined && !entry.isAllowed(address())) return false
        note(entry, address)
        return true
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
