import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { IdempotencyAnswer, IdempotencyScope } from "../values/idempotency.ts"
import type { PaymentLinkCounts } from "../values/paymentLinkText.ts"
import type { AccessRefusal, Principal } from "../values/principal.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** A payment link as stored: what its seller decides, and its counts, which commits of charges change. */
export interface StoredPaymentLink extends PaymentLinkCounts {
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  /** Counts the changes of its seller, from 1. */
  readonly version: number
  readonly active: boolean
  /** Undefined: any number. */
  readonly paymentsMax: number | undefined
  /** The wire's JSON text without the counts, and with an empty `url`. */
  readonly document: string
}

/** A seller's change of a link. */
export interface PaymentLinkChange {
  readonly link: StoredPaymentLink
  readonly active: boolean
  readonly paymentsMax: number | undefined
  readonly document: string
}

/** A page of links, newest first by id. */
export interface PaymentLinkPage {
  readonly active: boolean | undefined
  /** Only ids below it. */
  readonly beforeId: string | undefined
  readonly limit: number
}

/**
 * Payment links (docs/contract/payment-links.md). Their counts change in the commits of charges
 * (`CreateTransactionCommit.paymentLinkId`, `TransitionCommit.paymentLink`).
 */
export class PaymentLinkStore extends Context.Service<
  PaymentLinkStore,
  {
    /** Keeps a new link with its answer: `created`, or `limit` where the seller has `linksMax` of the mode. */
    readonly create: (
      principal: Principal,
      idempotency: IdempotencyScope,
      link: StoredPaymentLink,
      answer: string,
      linksMax: number,
    ) => Effect.Effect<
      { readonly kind: "created" } | { readonly kind: "limit" } | IdempotencyAnswer | AccessRefusal,
      StoreUnavailable
    >
    /** Changes what its seller decides; `stale` where another change came first. */
    readonly change: (
      change: PaymentLinkChange,
    ) => Effect.Effect<{ readonly kind: "applied" | "stale" | "missing" }, StoreUnavailable>
    /** A link of the principal; checks the key in the same round trip. */
    readonly get: (
      principal: Principal,
      id: string,
    ) => Effect.Effect<StoredPaymentLink | { readonly kind: "keyInvalid" } | undefined, StoreUnavailable>
    /** A link by id alone, for its page. */
    readonly load: (id: string) => Effect.Effect<StoredPaymentLink | undefined, StoreUnavailable>
    /** A page of the principal's links. */
    readonly list: (
      principal: Principal,
      page: PaymentLinkPage,
    ) => Effect.Effect<ReadonlyArray<StoredPaymentLink> | { readonly kind: "keyInvalid" }, StoreUnavailable>
  }
>()("corrente/actors/PaymentLinkStore") {}
