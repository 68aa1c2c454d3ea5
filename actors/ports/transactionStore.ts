import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import type { IdempotencyAnswer, IdempotencyScope } from "./idempotency.ts"
import type { LedgerMovement } from "./ledger.ts"
import type { AccessRefusal, Principal } from "./principal.ts"
import type { StoreUnavailable } from "./store.ts"
import type { Timer } from "./timer.ts"

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
