import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { KycStatus, SellerStatus } from "../../schema/resources/seller.ts"
import type { Principal } from "./principal.ts"
import type { StoreUnavailable } from "./store.ts"

/** Per-seller settings (decisions 3); amounts in centavos. */
export interface SellerSettings {
  readonly chargeFeeBps: number
  readonly chargeFeeFixed: number
  readonly reserveBps: number
  readonly reserveDays: number
  readonly withdrawalFee: number
  readonly withdrawalDailyValue: number
  readonly withdrawalDailyCount: number
  readonly withdrawalAutoApproval: boolean
}

/** What a charge costs its seller: basis points of its amount, and centavos. */
export type ChargeFees = Pick<SellerSettings, "chargeFeeBps" | "chargeFeeFixed">

/** A seller as stored; secrets and documents are ciphertext. */
export interface StoredSeller {
  readonly id: string
  readonly name: string
  /** The user whose seller it is; one made at sign-up bears the id of a user that is written right after it. */
  readonly userId: string
  readonly status: SellerStatus
  readonly kycStatus: KycStatus
  /** Ciphertext of the CPF or CNPJ handed in for identification; undefined before that. */
  readonly document: string | undefined
  /** The name that belongs to the document. */
  readonly legalName: string | undefined
  /** Operators have locked withdrawals until then, in ms. */
  readonly payoutLockedUntilMillis: number | undefined
  /** 2FA was turned off, by a recovery or by its user, which has locked withdrawals until then, in ms. */
  readonly recoveryLockedUntilMillis: number | undefined
  readonly settings: SellerSettings
  /** Counts the changes; a change names the version it was decided on. */
  readonly version: number
  readonly createdAt: string
}

/** A store's postback secret (spec 5.5). */
export interface PostbackSecret {
  /** Ciphertext. */
  readonly secret: string
  /** What may be shown of it. */
  readonly prefix: string
  /** When it was made, as ISO text. */
  readonly rotatedAt: string
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
    /** Creates a seller with its first keys and, where it has one, its postback secret in one step; `exists` when the id is taken. */
    readonly create: (
      seller: StoredSeller,
      keys: ReadonlyArray<NewApiKey>,
      postbackSecret: PostbackSecret | undefined,
    ) => Effect.Effect<{ readonly kind: "created" | "exists" }, StoreUnavailable>
    /** Takes back a seller that was just made, with its first keys, because its user could not be. */
    readonly discard: (
      sellerId: string,
      keyHashes: ReadonlyArray<string>,
    ) => Effect.Effect<void, StoreUnavailable>
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
