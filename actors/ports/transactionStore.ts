import { Context, type Effect } from "effect"
import type { EventType } from "../../schema/events.ts"
import type { Mode } from "../../schema/ids.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import type { ChargeLookup } from "../values/chargeLookups.ts"
import type { IndexedPlaces } from "../values/chargeSearch.ts"
import type { IdempotencyAnswer, IdempotencyScope } from "../values/idempotency.ts"
import type { AccessRefusal, Principal } from "../values/principal.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import type { Timer } from "../values/timer.ts"
import type { ExceptionEffect } from "./exceptionStore.ts"
import type { LedgerMovement } from "./ledger.ts"

/** A transaction as stored: `document` is the wire's JSON text with the customer's document as ciphertext, and an empty `qr_base64` and `payment_url`. */
export interface StoredTransaction {
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  readonly status: TransactionStatus
  /** Counts the transaction's commits, from 1; guards every transition. */
  readonly version: number
  readonly document: string
  /** The acquirer account it was made with, in live. */
  readonly account?: string
  /** Who pays (actors/ports/customerDigests.ts); absent where the customer was erased, and in charges from before there were customers. */
  readonly customer?: string
}

/** An event's own destination besides the seller's endpoints: the `postback_url` (docs/contract/deliveries.md#postbacks). */
export interface PostbackDestination {
  readonly url: string
}

export interface CreateTransactionCommit {
  readonly principal: Principal
  readonly idempotency: IdempotencyScope
  readonly transaction: StoredTransaction
  readonly eventType: EventType
  readonly timers: ReadonlyArray<Timer>
  /** The payment link that it is made through, which counts it as pending. */
  readonly paymentLinkId?: string | undefined
}

/** What a commit changes of the counts of the payment link that its charge was made through. */
export interface PaymentLinkEffect {
  readonly id: string
  /** In centavos, where the charge is paid: `payment_link.paid` follows the charge's event. */
  readonly amount?: number
}

/** What a commit adds to the sums of the charge's customer, in centavos. */
export interface CustomerEffect {
  readonly paid: number
  readonly refunded: number
}

/**
 * A refund that began at the acquirer: the commit that books it creates it as `succeeded`, takes no hold, and appends its
 * `refund.succeeded` before the charge's event (docs/contract/refunds.md#origins).
 */
export interface AcquirerRefund {
  /** `rfd_…`, from the charge's transfer and the acquirer's id (actors/values/acquirerRefund.ts). */
  readonly id: string
  /** The wire's JSON text. */
  readonly document: string
  readonly eventType: EventType
}

/**
 * A commit that changes a charge. `from` and `to` are the same where its status stays: a partial refund, an exception, a
 * released reserve.
 */
export interface TransitionCommit {
  readonly sellerId: string
  readonly mode: Mode
  readonly transactionId: string
  /** The version the decision was made on. */
  readonly expectedVersion: number
  readonly from: TransactionStatus
  readonly to: TransactionStatus
  readonly document: string
  /** Undefined: no event. */
  readonly eventType: EventType | undefined
  /** The money that moves with it. */
  readonly movement: LedgerMovement | undefined
  /** The refund that the commit books, where it began at the acquirer; its money is the commit's movement. */
  readonly refund?: AcquirerRefund | undefined
  /** What the commit does to an exception of the charge. */
  readonly exception?: ExceptionEffect | undefined
  /** Where the charge stops being pending, or is paid, and was made through a payment link. */
  readonly paymentLink?: PaymentLinkEffect
  /** Where the charge is paid, or money of it goes back. */
  readonly customer?: CustomerEffect
  readonly postback: PostbackDestination | undefined
  /** Timers to set; `timersDone`: names of the transaction's timers to drop. */
  readonly timers: ReadonlyArray<Timer>
  readonly timersDone: ReadonlyArray<string>
}

/** The outcome of a transition. */
export interface TransitionOutcome {
  readonly kind: "applied" | "stale" | "missing" | "overflow"
}

/** A page of charges, newest first by id. */
export interface TransactionPage {
  readonly status: TransactionStatus | undefined
  readonly fromMillis: number | undefined
  readonly toMillis: number | undefined
  /** Only ids below it. */
  readonly beforeId: string | undefined
  readonly limit: number
}

/**
 * Charges. The hash, its indexes, its event, the deliveries owed and its timers change in one atomic step
 * (docs/decisions/0001-one-atomic-commit.md). Refusals are values, not errors.
 */
export class TransactionStore extends Context.Service<
  TransactionStore,
  {
    /**
     * Commits a new charge with its idempotency record. `linkFull`: paid and pending charges take all places of its payment link.
     * `linkInactive`: the link is switched off, or is not there.
     */
    readonly create: (
      commit: CreateTransactionCommit,
    ) => Effect.Effect<
      | { readonly kind: "created" }
      | { readonly kind: "linkFull" }
      | { readonly kind: "linkInactive" }
      | IdempotencyAnswer
      | AccessRefusal,
      StoreUnavailable
    >
    /**
     * Claims the key for a while, before the acquirer is called. `claimed` comes with our own id or the one a crashed execution
     * stored, so that the acquirer is asked for the same charge again.
     */
    readonly claim: (
      principal: Principal,
      idempotency: IdempotencyScope,
      transactionId: string,
    ) => Effect.Effect<
      { readonly kind: "claimed"; readonly transactionId: string } | IdempotencyAnswer | AccessRefusal,
      StoreUnavailable
    >
    /** What is saved under the key, for a request that is about to be refused: a saved answer goes before a refusal. */
    readonly peek: (
      principal: Principal,
      idempotency: IdempotencyScope,
    ) => Effect.Effect<{ readonly kind: "none" } | IdempotencyAnswer | AccessRefusal, StoreUnavailable>
    /** Saves an error under the key: the acquirer's errors and refusals (docs/contract/README.md#idempotency). */
    readonly saveAnswer: (
      principal: Principal,
      idempotency: IdempotencyScope,
      status: number,
      body: string,
    ) => Effect.Effect<{ readonly kind: "saved" } | IdempotencyAnswer | AccessRefusal, StoreUnavailable>
    /**
     * Applies a transition. `stale`: status or version have changed. `missing`: no such charge. `overflow`: a bucket would
     * pass 2^53 - 1 centavos. What refunds under way hold of the charge stays as it is.
     */
    readonly transition: (commit: TransitionCommit) => Effect.Effect<TransitionOutcome, StoreUnavailable>
    /** A charge of the principal; checks the key in the same round trip. */
    readonly get: (
      principal: Principal,
      transactionId: string,
    ) => Effect.Effect<StoredTransaction | { readonly kind: "keyInvalid" } | undefined, StoreUnavailable>
    /** A charge by id alone, for timers. */
    readonly load: (transactionId: string) => Effect.Effect<StoredTransaction | undefined, StoreUnavailable>
    /** Many charges by id, read in one pipeline, in the order of their ids; those that do not exist are left out. */
    readonly loadMany: (
      transactionIds: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<StoredTransaction>, StoreUnavailable>
    /** The newest charges that a customer's address or an end-to-end id leads to (docs/decisions/0085-search.md). */
    readonly find: (
      principal: Principal,
      by: ChargeLookup,
      countMax: number,
    ) => Effect.Effect<ReadonlyArray<StoredTransaction>, StoreUnavailable>
    /**
     * The ids of all charges that the index has for the word of which it has fewest, newest first; undefined where it has more than
     * `countMax` entries even of that one: a charge may have several. A charge may have changed since: whoever shows it looks at it.
     */
    readonly lookUp: (
      principal: Principal,
      words: ReadonlyArray<IndexedPlaces>,
      countMax: number,
    ) => Effect.Effect<ReadonlyArray<string> | { readonly kind: "keyInvalid" } | undefined, StoreUnavailable>
    /** A page of the principal's charges. */
    readonly list: (
      principal: Principal,
      page: TransactionPage,
    ) => Effect.Effect<ReadonlyArray<StoredTransaction> | { readonly kind: "keyInvalid" }, StoreUnavailable>
    /**
     * A page of the principal's charges of any status that were made through a payment link, by its id, or that name one of some
     * customers, by their digests.
     */
    readonly listOfTerms: (
      principal: Principal,
      terms: ReadonlyArray<string>,
      page: Omit<TransactionPage, "status">,
    ) => Effect.Effect<ReadonlyArray<StoredTransaction> | { readonly kind: "keyInvalid" }, StoreUnavailable>
  }
>()("corrente/actors/TransactionStore") {}
