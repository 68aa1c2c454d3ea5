import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { NewApiKey } from "./sellerStore.ts"
import type { StoreUnavailable } from "./store.ts"

/** An API key as stored, without its hash. */
export interface StoredApiKey {
  readonly id: string
  readonly mode: Mode
  readonly name: string
  readonly keyPrefix: string
  readonly createdAt: string
  readonly lastUsedAtMillis: number | undefined
  /** From then on it is no longer valid (spec 3); undefined: until it is deleted. */
  readonly revokeAtMillis: number | undefined
}

/** A key that was just used, and when. */
export interface KeyUse {
  readonly keyHash: string
  readonly usedAtMillis: number
}

/** The kind of a key's timer. */
export const revokeTimerKind = "revoke"

/** The name of a key's timer. It says whose key it is, which the key's id does not. */
export const revokeTimerName = (sellerId: string, mode: Mode): string =>
  `${revokeTimerKind}:${sellerId}:${mode}`

/** Reads that name again; undefined for a timer of another kind. */
export const parseRevokeTimer = (
  name: string,
): { readonly sellerId: string; readonly mode: Mode } | undefined => {
  const [kind, sellerId, mode] = name.split(":")
  if (kind !== revokeTimerKind || sellerId === undefined) return undefined
  return { sellerId, mode: mode === "live" ? "live" : "test" }
}

/**
 * The API keys of sellers (spec 4.5): at most ten of a mode, rotated with a day's overlap, revoked at once. Whoever holds
 * streams open under a key that ends is told by a hint of its feed.
 */
export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    /** The keys of a mode that are valid now, newest first. */
    readonly list: (
      sellerId: string,
      mode: Mode,
    ) => Effect.Effect<ReadonlyArray<StoredApiKey>, StoreUnavailable>
    /** Adds a key: `limit` where the mode has its ten (those that are being revoked do not count), `kycRequired` in live. */
    readonly create: (
      sellerId: string,
      key: NewApiKey,
    ) => Effect.Effect<{ readonly kind: "created" | "limit" | "kycRequired" | "noSeller" }, StoreUnavailable>
    /**
     * Adds a key in another's place, which ends in a day: `revokeAtMillis` says when. `missing` where there is no such
     * key of that mode, `scheduled` where it is being revoked already.
     */
    readonly rotate: (
      sellerId: string,
      oldKeyId: string,
      key: NewApiKey,
    ) => Effect.Effect<
      | { readonly kind: "rotated"; readonly revokeAtMillis: number }
      | { readonly kind: "missing" | "scheduled" },
      StoreUnavailable
    >
    /** Ends a key now. */
    readonly delete: (
      sellerId: string,
      mode: Mode,
      keyId: string,
    ) => Effect.Effect<{ readonly kind: "deleted" | "missing" }, StoreUnavailable>
    /** Ends a key whose time has come, and its timer; one whose time has not is left alone. */
    readonly expire: (sellerId: string, mode: Mode, keyId: string) => Effect.Effect<void, StoreUnavailable>
    /** Notes when keys of a partition were last used; those that have ended stay ended. */
    readonly touch: (partition: number, uses: ReadonlyArray<KeyUse>) => Effect.Effect<void, StoreUnavailable>
    /** Tells whoever holds streams open under a credential of a seller (a key, a session) that it has ended. */
    readonly announceRevocation: (
      sellerId: string,
      credentialId: string,
    ) => Effect.Effect<void, StoreUnavailable>
  }
>()("corrente/actors/ApiKeyStore") {}
