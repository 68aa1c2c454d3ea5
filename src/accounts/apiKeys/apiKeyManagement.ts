import { Clock, Context, Effect, Layer } from "effect"
import { ApiKeyStore, type StoredApiKey } from "../../../actors/ports/apiKeyStore.ts"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import type { ApiKeyAccess } from "../../../actors/values/apiKeyAccess.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError, resourceNotFound } from "../../../schema/errors.ts"
import { type Mode, modes, partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { ApiKey } from "../../../schema/resources/apiKey.ts"
import { askAgain } from "../askAgain.ts"
import { sellerSuspended } from "../sellers/activeSeller.ts"
import { newApiKey } from "./apiKeySecret.ts"

/** What a new key is made of; rotations keep all of it. */
export interface ApiKeyWish {
  readonly mode: Mode
  readonly name: string
  readonly access: ApiKeyAccess
}

/** A new key with its secret. */
export type MadeApiKey = ApiKey & { readonly key: string }

/** Manages the API keys of a seller (docs/contract/api-keys.md#routes). */
export class ApiKeyManagement extends Context.Service<
  ApiKeyManagement,
  {
    /** The active keys of a mode, newest first. */
    readonly list: (sellerId: string, mode: Mode) => Effect.Effect<ReadonlyArray<ApiKey>, StoreUnavailable>
    /**
     * Fails with 403 `seller_not_allowed` if the seller is suspended, 403 `kyc_required` (live), and 409 `invalid_state`
     * at the eleventh key of a mode.
     */
    readonly create: (
      sellerId: string,
      wish: ApiKeyWish,
    ) => Effect.Effect<
      MadeApiKey,
      | ApiError<"invalid_state" | "kyc_required" | "resource_not_found" | "seller_not_allowed">
      | StoreUnavailable
    >
    /**
     * A new key of the same name, mode, scopes and addresses; the old one ends in 24 h. Fails with 404, 403 `seller_not_allowed`, or 409
     * where it is ending already.
     */
    readonly rotate: (
      sellerId: string,
      keyId: string,
    ) => Effect.Effect<
      MadeApiKey & { readonly old_key_revoke_at: string },
      ApiError<"invalid_state" | "resource_not_found" | "seller_not_allowed"> | StoreUnavailable
    >
    /** Ends a key of a mode at once, in every process. Fails with 404, also for a key of the other mode. */
    readonly delete: (
      sellerId: string,
      mode: Mode,
      keyId: string,
    ) => Effect.Effect<void, ApiError<"resource_not_found"> | StoreUnavailable>
  }
>()("corrente/accounts/ApiKeyManagement") {}

const isoOrNull = (millis: number | undefined): string | null =>
  millis === undefined ? null : new Date(millis).toISOString()

const resourceOf = (key: StoredApiKey): ApiKey => ({
  id: key.id,
  name: key.name,
  mode: key.mode,
  key_prefix: key.keyPrefix,
  scopes: key.scopes,
  allowed_ips: key.allowedIps,
  last_used_at: isoOrNull(key.lastUsedAtMillis),
  last_used_ip: key.lastUsedIp ?? null,
  revoke_at: isoOrNull(key.revokeAtMillis),
  created_at: key.createdAt,
})

const refusalOf = (
  kind: "limit" | "sellerNotAllowed" | "kycRequired" | "noSeller",
  mode: Mode,
): ApiError<"invalid_state" | "kyc_required" | "resource_not_found" | "seller_not_allowed"> => {
  if (kind === "sellerNotAllowed") return sellerSuspended()
  if (kind === "kycRequired") {
    return new ApiError({
      code: "kyc_required",
      message: "Live keys need an approved identification: send POST /v1/me/kyc, or create a test key.",
    })
  }
  if (kind === "noSeller") return resourceNotFound("seller", "")
  return new ApiError({
    code: "invalid_state",
    message: `This seller has ${limits.apiKeysPerModeMax} active ${mode} keys, the most a mode can have. Delete one first.`,
    details: { limit: limits.apiKeysPerModeMax },
  })
}

const isEnding = (): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    message: "This key was rotated already and ends by itself. Rotate the newer one.",
  })

export const ApiKeyManagementLive = Layer.effect(
  ApiKeyManagement,
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const identifiers = yield* Identifiers

    const storedKeys = (sellerId: string, wanted: ReadonlyArray<Mode>) =>
      Effect.map(
        Effect.forEach(wanted, (mode) => store.list(sellerId, mode), { concurrency: "unbounded" }),
        (lists) => lists.flat().sort((one, other) => (one.id < other.id ? 1 : -1)),
      )
    const find = Effect.fnUntraced(function* (sellerId: string, wanted: ReadonlyArray<Mode>, keyId: string) {
      const found = (yield* storedKeys(sellerId, wanted)).find(({ id }) => id === keyId)
      return found ?? (yield* resourceNotFound("API key", keyId))
    })
    const draw = Effect.fnUntraced(function* (sellerId: string, { mode, name, access }: ApiKeyWish) {
      const nowMillis = yield* Clock.currentTimeMillis
      const partition = partitionOfId(sellerId) ?? 0
      const { key, record } = newApiKey(identifiers, { mode, partition, name, access, nowMillis })
      const unused = {
        ...record,
        lastUsedAtMillis: undefined,
        lastUsedIp: undefined,
        revokeAtMillis: undefined,
      }
      const made: MadeApiKey = { ...resourceOf(unused), key }
      return { record, made }
    })

    return ApiKeyManagement.of({
      list: (sellerId, mode) => Effect.map(storedKeys(sellerId, [mode]), (keys) => keys.map(resourceOf)),
      create: Effect.fnUntraced(function* (sellerId, wish) {
        const { record, made } = yield* draw(sellerId, wish)
        const { kind } = yield* askAgain(store.create(sellerId, record))
        return kind === "created" ? made : yield* refusalOf(kind, wish.mode)
      }),
      rotate: Effect.fnUntraced(function* (sellerId, keyId) {
        const { mode, name, scopes, allowedIps } = yield* find(sellerId, modes, keyId)
        const { record, made } = yield* draw(sellerId, { mode, name, access: { scopes, allowedIps } })
        const answer = yield* askAgain(store.rotate(sellerId, keyId, record))
        if (answer.kind !== "rotated") {
          if (answer.kind === "sellerNotAllowed") return yield* sellerSuspended()
          return yield* answer.kind === "scheduled" ? isEnding() : resourceNotFound("API key", keyId)
        }
        return { ...made, old_key_revoke_at: new Date(answer.revokeAtMillis).toISOString() }
      }),
      delete: Effect.fnUntraced(function* (sellerId, mode, keyId) {
        yield* find(sellerId, [mode], keyId)
        // Missing now: another call ended it, or this one did and its reply was lost.
        yield* askAgain(store.delete(sellerId, mode, keyId))
      }),
    })
  }),
)
