import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { PixKeyStatus, PixKeyType } from "../../schema/resources/pixKey.ts"
import type { Principal } from "./principal.ts"
import type { StoreUnavailable } from "./store.ts"

/** A PIX key as stored. */
export interface StoredPixKey {
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  readonly type: PixKeyType
  /** Ciphertext: a CPF or a phone number is personal. */
  readonly value: string
  /** A keyed hash of type and value: the same key twice is told by it, and nobody guesses a CPF by it. */
  readonly valueHash: string
  /** What may be shown. */
  readonly maskedValue: string
  readonly status: PixKeyStatus
  /** Counts its changes, from 1. */
  readonly version: number
  readonly createdAt: string
  readonly verifiedAt: string | undefined
}

/** A change of a key's state, guarded by the state and version it was decided on. */
export interface PixKeyTransition {
  readonly pixKey: StoredPixKey
  readonly to: PixKeyStatus
  /** ISO text; undefined keeps what is there. */
  readonly verifiedAt: string | undefined
}

/** Which keys or withdrawals an operator's list shows; newest first by id. */
export interface OperatorPage<Status extends string> {
  readonly status: Status
  readonly mode: Mode
  /** Only ids below it. */
  readonly beforeId: string | undefined
  readonly limit: number
}

/** Sellers' PIX keys (decisions 3). */
export class PixKeyStore extends Context.Service<
  PixKeyStore,
  {
    /**
     * Registers a key. `exists` where the seller has the same one in this mode, pending or verified; `limit` at
     * one more than a mode may have. The same id again answers `created` again.
     */
    readonly create: (
      pixKey: StoredPixKey,
    ) => Effect.Effect<{ readonly kind: "created" | "exists" | "limit" | "noSeller" }, StoreUnavailable>
    readonly transition: (
      change: PixKeyTransition,
    ) => Effect.Effect<{ readonly kind: "applied" | "stale" | "missing" }, StoreUnavailable>
    readonly load: (id: string) => Effect.Effect<StoredPixKey | undefined, StoreUnavailable>
    /** The principal's keys in the order of their registration, removed ones apart; its validity is asked besides. */
    readonly list: (
      principal: Principal,
    ) => Effect.Effect<ReadonlyArray<StoredPixKey> | { readonly kind: "keyInvalid" }, StoreUnavailable>
    /** All sellers' keys of a status and mode. */
    readonly listForOperator: (
      page: OperatorPage<PixKeyStatus>,
    ) => Effect.Effect<ReadonlyArray<StoredPixKey>, StoreUnavailable>
  }
>()("corrente/actors/PixKeyStore") {}
