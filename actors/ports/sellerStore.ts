import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { StoreUnavailable } from "./store.ts"
import type { Principal } from "./transactionStore.ts"

/** Per-seller settings (decisions 3); amounts in centavos. */
export interface SellerSettings {
  readonly chargeFeeBps: number
  readonly chargeFeeFixed: number
}

/** A seller as stored; secrets and documents are ciphertext. */
export interface StoredSeller {
  readonly id: string
  readonly name: string
  readonly userId: string
  readonly status: "active" | "suspended"
  readonly kycStatus: "none" | "pending" | "approved" | "rejected"
  readonly settings: SellerSettings
  readonly createdAt: string
}

/** A new API key's record; the key itself is never stored (decisions 4). */
export interface NewApiKey {
  readonly id: string
  readonly keyHash: string
  readonly mode: Mode
  readonly name: string
  readonly keyPrefix: string
  readonly createdAt: string
}

/** A new endpoint's record; `secret` is ciphertext. */
export interface NewEndpoint {
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly description: string | undefined
  readonly secret: string
  readonly secretPrefix: string
  readonly createdAt: string
}

/** Sellers, their keys and their endpoints. */
export class SellerStore extends Context.Service<
  SellerStore,
  {
    /** Creates a seller with its first keys and postback secret (ciphertext) in one step; `exists` when the id is taken. */
    readonly create: (
      seller: StoredSeller,
      keys: ReadonlyArray<NewApiKey>,
      postbackSecret: string,
    ) => Effect.Effect<{ readonly kind: "created" | "exists" }, StoreUnavailable>
    readonly get: (sellerId: string) => Effect.Effect<StoredSeller | undefined, StoreUnavailable>
    /** Who a key belongs to; undefined for an unknown one, `revoked` for one no longer valid. */
    readonly principalOf: (
      partition: number,
      keyHash: string,
    ) => Effect.Effect<Principal | { readonly kind: "revoked" } | undefined, StoreUnavailable>
    /** Whether the key is valid now. */
    readonly isValid: (principal: Principal) => Effect.Effect<boolean, StoreUnavailable>
    /** Adds an endpoint; `limit` at the sixth of its mode (spec 4.3). */
    readonly createEndpoint: (
      endpoint: NewEndpoint,
    ) => Effect.Effect<{ readonly kind: "created" | "limit" | "noSeller" }, StoreUnavailable>
    /** A seller's endpoints that are not deleted, as stored (JSON-ready fields, no secrets). */
    readonly listEndpoints: (
      sellerId: string,
      mode: Mode,
    ) => Effect.Effect<ReadonlyArray<Readonly<Record<string, string>>>, StoreUnavailable>
  }
>()("corrente/actors/SellerStore") {}
