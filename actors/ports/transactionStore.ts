import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import type { LedgerMovement } from "./ledger.ts"
import type { StoreUnavailable } from "./store.ts"

/** Who asks: the immutable part of an API key (cached) and where its validity is asked (rule 3). */
export interface Principal {
  readonly sellerId: string
  readonly mode: Mode
  readonly keyId: string
  /** SHA-256 of the key in base64url: the name of its record. */
  readonly keyHash: string
}

/** What stands for a key's hash where a session asks: no key has it, and the session was checked before. */
export const sessionKeyHash = "session"

/**
 * A seller's dashboard session as a principal (spec 5.2): its validity was asked when the request was admitted. All
 * sessions of a user are one credential here: when one ends, the user's streams end, and those of the others come back.
 */
export const sessionPrincipal = (sellerId: string, mode: Mode, userId: string): Principal => ({
  sellerId,
  mode,
  keyId: userId,
  keyHash: sessionKeyHash,
})

/** A transaction as stored: `document` is the wire's JSON text with the customer's document as ciphertext. */
export interface StoredTransaction {
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  readonly status: TransactionStatus
  /** Counts commits of this transaction, from 1; every transition is guarded by it. */
  readonly version: number
  readonly document: string
  /** The partner account that it was made with, in live; those from before accounts were stored have none. */
  readonly account?: string
}

/** Where the request stands under its `Idempotency-Key` (decisions 1): scope is seller + mode + route + key. */
export interface IdempotencyScope {
  readonly route: string
  readonly key: string
  /** Hash of the raw body. */
  readonly fingerprint: string
  /** Names this execution: a lease taken under it is continued, one taken under another is respected. */
  readonly executionId: string
}

/** Answers under a key that is not new. */
export type IdempotencyAnswer =
  | { readonly kind: "replay"; readonly status: number; readonly body: string }
  | { readonly kind: "mismatch" }
  | { readonly kind: "inProgress" }

/** Why a write was not made; nothing was written then. `kycRequired`: in live, of a seller that is not identified. */
export type AccessRefusal =
  | { readonly kind: "keyInvalid" }
  | { readonly kind: "sellerNotAllowed" }
  | { readonly kind: "kycRequired" }

/** Something to do at a time: `name` says what (`expire`, `ask`). */
export interface Timer {
  readonly name: string
  readonly resourceId: string
  readonly dueMillis: number
}

/** An event's own destination besides the seller's endpoints: the charge's `postback_url` (spec 6). */
export interface PostbackDestination {
  readonly url: string
}

export interface CreateTransactionCommit {
  readonly principal: Principal
  readonly idempotency: IdempotencyScope
  readonly transaction: StoredTransaction
  readonly eventType: string
  readonly timers: ReadonlyArray<Timer>
}

/**
 * One commit of a charge. `from` and `to` are the same where the charge gains a fact and keeps its status: a partial
 * refund, an exception, a released reserve.
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
  /** Undefined: nothing that events tell of. */
  readonly eventType: string | undefined
  /** The money that moves with it. */
  readonly movement: LedgerMovement | undefined
  readonly postback: PostbackDestination | undefined
  /** Timers to set, and names of this transaction's timers to drop. */
  readonly timers: ReadonlyArray<Timer>
  readonly timersDone: ReadonlyArray<string>
}

/** What became of a transition. */
export interface TransitionOutcome {
  readonly kind: "applied" | "stale" | "missing" | "overflow"
}

/** Newest first, by id. */
export interface TransactionPage {
  readonly status: TransactionStatus | undefined
  readonly fromMillis: number | undefined
  readonly toMillis: number | undefined
  /** Only ids below it. */
  readonly beforeId: string | undefined
  readonly limit: number
}

/**
 * Charges: the hash, its indexes, its event, the deliveries owed and its timers move in one atomic step (rule 1).
 * Replies that are not errors of the store are values: a refusal is an answer.
 */
export class TransactionStore extends Context.Service<
  TransactionStore,
  {
    /** Commits a new charge with its idempotency record; every guard stands before the first write. */
    readonly create: (
      commit: CreateTransactionCommit,
    ) => Effect.Effect<{ readonly kind: "created" } | IdempotencyAnswer | AccessRefusal, StoreUnavailable>
    /**
     * Takes the key for a while before a partner is called: `claimed` with the id a crashed execution had stored
     * (so that the partner is asked by the same id again), or our own.
     */
    readonly claim: (
      principal: Principal,
      idempotency: IdempotencyScope,
      transactionId: string,
    ) => Effect.Effect<
      { readonly kind: "claimed"; readonly transactionId: string } | IdempotencyAnswer | AccessRefusal,
      StoreUnavailable
    >
    /** What stands under the key, for a request that is about to be refused: a saved answer goes before a refusal. */
    readonly peek: (
      principal: Principal,
      idempotency: IdempotencyScope,
    ) => Effect.Effect<{ readonly kind: "none" } | IdempotencyAnswer | AccessRefusal, StoreUnavailable>
    /** Saves an error answer under the key (partner errors and business refusals, decisions 1). */
    readonly saveAnswer: (
      principal: Principal,
      idempotency: IdempotencyScope,
      status: number,
      body: string,
    ) => Effect.Effect<{ readonly kind: "saved" } | IdempotencyAnswer | AccessRefusal, StoreUnavailable>
    /** Applies one transition; `stale` when status or version moved on, `missing` when there is no such charge, `overflow` when a bucket would pass 2^53 - 1 centavos. */
    readonly transition: (commit: TransitionCommit) => Effect.Effect<TransitionOutcome, StoreUnavailable>
    /** One charge of this principal, its key's validity asked in the same round trip. */
    readonly get: (
      principal: Principal,
      transactionId: string,
    ) => Effect.Effect<StoredTransaction | { readonly kind: "keyInvalid" } | undefined, StoreUnavailable>
    /** One charge by id alone: for timers. */
    readonly load: (transactionId: string) => Effect.Effect<StoredTransaction | undefined, StoreUnavailable>
    /** A page of the principal's charges. */
    readonly list: (
      principal: Principal,
      page: TransactionPage,
    ) => Effect.Effect<ReadonlyArray<StoredTransaction> | { readonly kind: "keyInvalid" }, StoreUnavailable>
  }
>()("corrente/actors/TransactionStore") {}
