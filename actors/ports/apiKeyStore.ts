import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { ApiKeyAccess } from "../values/apiKeyAccess.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import type { NewApiKey } from "./sellerStore.ts"

/** An API key as stored, without its hash. */
export interface StoredApiKey extends ApiKeyAccess {
  readonly id: string
  readonly mode: Mode
  readonly name: string
  readonly keyPrefix: string
  readonly createdAt: string
  readonly lastUsedAtMillis: number | undefined
  /** The address of that use; undefined if it is unknown. */
  readonly lastUsedIp: string | undefined
  /** When the key stops being valid; undefined: when it is deleted. */
  readonly revokeAtMillis: number | undefined
}

/** A use of a key. */
export interface KeyUse {
  readonly keyHash: string
  readonly usedAtMillis: number
  /** The client's address; undefined if it is unknown. */
  readonly ipAddress: string | undefined
}

/**
 * Sellers' API keys: at most ten a mode, rotated with a day's overlap, revoked at once (docs/contract/api-keys.md). A hint of
 * the feed tells whoever holds streams open under a key that has ended.
 */
export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    /** The keys of a mode that are valid now, newest first. */
    readonly list: (
      sellerId: string,
      mode: Mode,
    ) => Effect.Effect<ReadonlyArray<StoredApiKey>, StoreUnavailable>
    /**
     * Adds a key. `limit`: the mode has ten already, not counting those being revoked. `sellerNotAllowed`: the seller is
     * suspended. `kycRequired`: in live.
     */
    readonly create: (
      sellerId: string,
      key: NewApiKey,
    ) => Effect.Effect<
      { readonly kind: "created" | "limit" | "sellerNotAllowed" | "kycRequired" | "noSeller" },
      StoreUnavailable
    >
    /**
     * Adds a key to replace another, which ends in a day, at `revokeAtMillis`. `missing`: the mode has no such key.
     * `sellerNotAllowed`: the seller is suspended. `scheduled`: it is being revoked already.
     */
    readonly rotate: (
      sellerId: string,
      oldKeyId: string,
      key: NewApiKey,
    ) => Effect.Effect<
      | { readonly kind: "rotated"; readonly revokeAtMillis: number }
      | { readonly kind: "missing" | "sellerNotAllowed" | "scheduled" },
      StoreUnavailable
    >
    /** Ends a key now. */
    readonly delete: (
      sellerId: string,
      mode: Mode,
      keyId: string,
    ) => Effect.Effect<{ readonly kind: "deleted" | "missing" }, StoreUnavailable>
    /** Ends a key whose time has come, and its timer; leaves others alone. */
    readonly expire: (sellerId: string, mode: Mode, keyId: string) => Effect.Effect<void, StoreUnavailable>
    /** Records when and from where a partition's keys were last used; a key that has ended stays ended. */
    readonly touch: (partition: number, uses: ReadonlyArray<KeyUse>) => Effect.Effect<void, StoreUnavailable>
    /** Tells whoever holds streams open under a credential of a seller (a key, a session) that it has ended. */
    readonly announceRevocation: (
      sellerId: string,
      credentialId: string,
    ) => Effect.Effect<void, StoreUnavailable>
  }
>()("corrente/actors/ApiKeyStore") {}
