import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { Ordering } from "../../schema/resources/endpoint.ts"
import type {
  KycStatus,
  SellerStatus,
  SellerSettings as ShownSettings,
} from "../../schema/resources/seller.ts"
import type { ApiKeyAccess } from "../values/apiKeyAccess.ts"
import type { KeyPrincipal, Principal } from "../values/principal.ts"
import type { SellerLookup, SellerTerm } from "../values/sellerLookups.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** A seller's settings (docs/contract/sellers.md#settings): those of the contract, with names in camel case. */
export type SellerSettings = {
  readonly [Name in keyof ShownSettings as CamelCase<Name>]: ShownSettings[Name]
}

/** What a charge costs its seller: basis points of its amount, and centavos. */
export type ChargeFees = Pick<SellerSettings, "chargeFeeBps" | "chargeFeeFixed">

/** A seller as stored; secrets and documents are ciphertext. */
export interface StoredSeller {
  readonly id: string
  readonly name: string
  /** The seller's user. At sign-up the user is written right after the seller (docs/accounts.md#where-accounts-live). */
  readonly userId: string
  readonly status: SellerStatus
  readonly kycStatus: KycStatus
  /** Ciphertext of the CPF or CNPJ submitted for identification; undefined before. */
  readonly document: string | undefined
  /** The name that belongs to the document. */
  readonly legalName: string | undefined
  /** Until when operators have locked withdrawals, in ms. */
  readonly payoutLockedUntilMillis: number | undefined
  /** Until when withdrawals are locked because 2FA was turned off, or on late, in ms. */
  readonly recoveryLockedUntilMillis: number | undefined
  readonly settings: SellerSettings
  /** What payers see: a PNG in base64, `#rrggbb`, and a name in place of `name` (docs/contract/sellers.md#brand). */
  readonly brandLogo?: string | undefined
  readonly brandColor?: string | undefined
  readonly payerName?: string | undefined
  /** Counts the changes; a change names the version it was decided on. */
  readonly version: number
  readonly createdAt: string
}

/** A change of a seller, with its event. */
export interface SellerChange {
  /** The changed seller; its `version` is still the one the change was decided on. */
  readonly seller: StoredSeller
  /** Goes to the feeds of both modes (docs/contract/sellers.md#events); `data` is the profile as JSON text. */
  readonly event: { readonly type: string; readonly data: string }
  /** By which the seller's document is found; undefined where it has none. */
  readonly documentTerm?: SellerTerm | undefined
}

/** A query of an operator's list of sellers, newest first by id. */
export interface SellerListQuery {
  readonly status: SellerStatus | undefined
  readonly kycStatus: KycStatus | undefined
  /** Only ids below it. */
  readonly beforeId: string | undefined
  readonly limit: number
}

/** What operators look for among sellers. */
export interface SellerSearch {
  readonly by: SellerLookup
  readonly status: SellerStatus | undefined
  readonly kycStatus: KycStatus | undefined
  /** Only those after it. */
  readonly after: string | undefined
  readonly limit: number
}

/** A page of sellers, shorter than `limit` where many were filtered out. */
export interface SellerPage {
  readonly sellers: ReadonlyArray<StoredSeller>
  /** Undefined on the last page. */
  readonly nextBeforeId: string | undefined
}

/** A seller's postback secret (docs/contract/sellers.md#postback-secret). */
export interface PostbackSecret {
  /** Ciphertext. */
  readonly secret: string
  /** The part that may be shown. */
  readonly prefix: string
  /** ISO text. */
  readonly rotatedAt: string
}

/** A new API key's record; the key itself is never stored (docs/contract/api-keys.md#format). */
export interface NewApiKey extends ApiKeyAccess {
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
  /** The password of a Redis Stream, which `url` lacks: ciphertext. */
  readonly urlPassword?: string | undefined
  readonly events: ReadonlyArray<string>
  readonly description: string | undefined
  /** Absent: none. */
  readonly ordering?: Ordering
  readonly secret: string
  readonly secretPrefix: string
  readonly createdAt: string
}

/** Sellers, their postback secrets, keys and endpoints. */
export class SellerStore extends Context.Service<
  SellerStore,
  {
    /** Creates a seller with its first keys and its postback secret, if any, in one step; `exists`: the id is taken. */
    readonly create: (
      seller: StoredSeller,
      keys: ReadonlyArray<NewApiKey>,
      postbackSecret: PostbackSecret | undefined,
      documentTerm?: SellerTerm,
    ) => Effect.Effect<{ readonly kind: "created" | "exists" }, StoreUnavailable>
    /** Removes a seller that was just created, with its first keys, because its user could not be created. */
    readonly discard: (
      sellerId: string,
      keyHashes: ReadonlyArray<string>,
    ) => Effect.Effect<void, StoreUnavailable>
    readonly get: (sellerId: string) => Effect.Effect<StoredSeller | undefined, StoreUnavailable>
    /** Writes a change and its events in one step. `stale`: the seller has changed since, and nothing was written. */
    readonly update: (
      change: SellerChange,
    ) => Effect.Effect<{ readonly kind: "updated" | "stale" | "noSeller" }, StoreUnavailable>
    /** Those that a lookup finds, in the order of their words; `nextBeforeId` is what `after` takes. */
    readonly find: (search: SellerSearch) => Effect.Effect<SellerPage, StoreUnavailable>
    readonly list: (query: SellerListQuery) => Effect.Effect<SellerPage, StoreUnavailable>
    /** The secret that signs deliveries to postbacks and trackers; undefined where there is none yet. */
    readonly postbackSecret: (sellerId: string) => Effect.Effect<PostbackSecret | undefined, StoreUnavailable>
    /** Replaces the secret; the one before ends at once (docs/contract/sellers.md#postback-secret). */
    readonly rotatePostbackSecret: (
      sellerId: string,
      secret: PostbackSecret,
    ) => Effect.Effect<{ readonly kind: "rotated" | "noSeller" }, StoreUnavailable>
    /** The principal of a key; undefined for an unknown key, `revoked` for one that has ended. */
    readonly principalOf: (
      partition: number,
      keyHash: string,
    ) => Effect.Effect<KeyPrincipal | { readonly kind: "revoked" } | undefined, StoreUnavailable>
    /** Whether the key is valid now. */
    readonly isValid: (principal: Principal) => Effect.Effect<boolean, StoreUnavailable>
    /** Adds an endpoint; `limit` at the sixth of its mode (docs/contract/endpoints.md#limits). */
    readonly createEndpoint: (
      endpoint: NewEndpoint,
    ) => Effect.Effect<{ readonly kind: "created" | "limit" | "noSeller" }, StoreUnavailable>
    /** A seller's endpoints without deleted ones, as stored (fields without secrets). */
    readonly listEndpoints: (
      sellerId: string,
      mode: Mode,
    ) => Effect.Effect<ReadonlyArray<Readonly<Record<string, string>>>, StoreUnavailable>
  }
>()("corrente/actors/SellerStore") {}
