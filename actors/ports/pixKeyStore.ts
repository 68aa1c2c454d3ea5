import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { PixKeyStatus, PixKeyType } from "../../schema/resources/pixKey.ts"
import type { Principal } from "../values/principal.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** A PIX key as stored. */
export interface StoredPixKey {
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  readonly type: PixKeyType
  /** Ciphertext: a CPF or phone number is personal. */
  readonly value: string
  /** A keyed hash of type and value: it tells duplicates, and nobody can guess a CPF from it. */
  readonly valueHash: string
  /** What may be shown. */
  readonly maskedValue: string
  readonly status: PixKeyStatus
  /** Counts its changes, from 1. */
  readonly version: number
  readonly createdAt: string
  readonly verifiedAt: string | undefined
}

/** A transition of a key, guarded by the state and version it was decided on. */
export interface PixKeyTransition {
  readonly pixKey: StoredPixKey
  readonly to: PixKeyStatus
  /** ISO text; undefined leaves it as it is. */
  readonly verifiedAt: string | undefined
}

/** A page of an operator's list of keys or withdrawals, newest first by id. */
export interface OperatorPage<Status extends string> {
  readonly status: Status
  readonly mode: Mode
  /** Only ids below it. */
  readonly beforeId: string | undefined
  readonly limit: number
}

/** Sellers' PIX keys (docs/contract/pix-keys.md). */
export class PixKeyStore extends Context.Service<
  PixKeyStore,
  {
    /**
     * Registers a key. `exists`: the seller has the same key in this mode, pending or verified. `limit`: the mode has as many as
     * it may. The same id again answers `created` again. `olderHashes` are hashes of the same value under earlier keys.
     */
    readonly create: (
      pixKey: StoredPixKey,
      olderHashes?: ReadonlyArray<string>,
    ) => Effect.Effect<{ readonly kind: "created" | "exists" | "limit" | "noSeller" }, StoreUnavailable>
    readonly transition: (
      change: PixKeyTransition,
    ) => Effect.Effect<{ readonly kind: "applied" | "stale" | "missing" }, StoreUnavailable>
    readonly load: (id: string) => Effect.Effect<StoredPixKey | undefined, StoreUnavailable>
    /** The principal's keys in order of registration, without removed ones; checks the principal in the same round trip. */
    readonly list: (
      principal: Principal,
    ) => Effect.Effect<ReadonlyArray<StoredPixKey> | { readonly kind: "keyInvalid" }, StoreUnavailable>
    /** The keys of all sellers with a status and mode. */
    readonly listForOperator: (
      page: OperatorPage<PixKeyStatus>,
    ) => Effect.Effect<ReadonlyArray<StoredPixKey>, StoreUnavailable>
  }
>()("corrente/actors/PixKeyStore") {}
