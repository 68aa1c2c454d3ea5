import { Context, type Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { WithdrawalStatus } from "../../schema/resources/withdrawal.ts"
import type { IdempotencyAnswer, IdempotencyScope } from "./idempotency.ts"
import type { LedgerMovement } from "./ledger.ts"
import type { OperatorPage, StoredPixKey } from "./pixKeyStore.ts"
import type { AccessRefusal, Principal } from "./principal.ts"
import type { StoredSeller } from "./sellerStore.ts"
import type { StoreUnavailable } from "./store.ts"
import type { Timer } from "./timer.ts"
import type { TransitionOutcome } from "./transactionStore.ts"

/** A withdrawal as stored; `document` is the wire's JSON text. */
export interface StoredWithdrawal {
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  readonly status: WithdrawalStatus
  /** Counts its commits, from 1; every transition is guarded by it. */
  readonly version: number
  readonly document: string
  /** The partner account that is to pay it, in live; those from before accounts were stored have none. */
  readonly account?: string
  /** Ciphertext of the PIX key's value as it was when the withdrawal was requested. */
  readonly pixValue: string
  /** The day it counts in, `2026-11-21` in America/Sao_Paulo. */
  readonly day: string
  /** Under which Idempotency-Key it was requested: that record lives until the withdrawal is over, and a day. */
  readonly idempotency: Pick<IdempotencyScope, "route" | "key">
}

/** What a day's withdrawals come to. */
export interface WithdrawalDay {
  /** Centavos of `amount`, without rejected, failed and cancelled ones (decisions 3). */
  readonly value: number
  /** All that were requested. */
  readonly count: number
}

/** What a request for a withdrawal is decided on, read in one step. */
export interface WithdrawalPreconditions {
  readonly seller: StoredSeller
  readonly pixKey: StoredPixKey | undefined
  /** Centavos. */
  readonly available: number
  /** The withdrawal that is not over yet. */
  readonly openWithdrawalId: string | undefined
  readonly day: WithdrawalDay
}

/** A new withdrawal, with what must still be as it was decided on. */
export interface CreateWithdrawalCommit {
  readonly principal: Principal
  readonly idempotency: IdempotencyScope
  readonly withdrawal: StoredWithdrawal
  readonly amount: number
  readonly total: number
  readonly decidedOn: {
    readonly sellerVersion: number
    readonly pixKeyId: string
    readonly pixKeyVersion: number
    readonly day: WithdrawalDay
  }
  readonly eventType: string
  readonly movement: LedgerMovement
  readonly timers: ReadonlyArray<Timer>
}

/** One transition of a withdrawal. At an end it frees the seller for the next one and lets its Idempotency-Key run out. */
export interface WithdrawalTransition {
  readonly withdrawal: StoredWithdrawal
  readonly to: WithdrawalStatus
  readonly document: string
  readonly eventType: string
  readonly movement: LedgerMovement | undefined
  /** Centavos that no longer count in its day: the amount, where it is rejected, failed or cancelled. */
  readonly dayValueBack: number
  readonly timers: ReadonlyArray<Timer>
  readonly timersDone: ReadonlyArray<string>
  /** The version of its seller that it was decided on; undefined: the seller does not matter. */
  readonly sellerVersion?: number | undefined
}

/** A page of a seller's withdrawals; newest first by id. */
export interface WithdrawalPage {
  readonly status: WithdrawalStatus | undefined
  readonly fromMillis: number | undefined
  readonly toMillis: number | undefined
  readonly beforeId: string | undefined
  readonly limit: number
}

/** Withdrawals: state, ledger, event, deliveries owed, timers and Idempotency-Key move in one atomic step (rule 1). */
export class WithdrawalStore extends Context.Service<
  WithdrawalStore,
  {
    /** What the request is decided on, unless it was answered before or may not be made at all. */
    readonly readPreconditions: (
      principal: Principal,
      idempotency: IdempotencyScope,
      pixKeyId: string,
      day: string,
    ) => Effect.Effect<
      ({ readonly kind: "open" } & WithdrawalPreconditions) | IdempotencyAnswer | AccessRefusal,
      StoreUnavailable
    >
    /** `stale`: something it was decided on has changed, or the money is no longer there; nothing was written. */
    readonly create: (
      commit: CreateWithdrawalCommit,
    ) => Effect.Effect<
      { readonly kind: "created" } | { readonly kind: "stale" } | IdempotencyAnswer | AccessRefusal,
      StoreUnavailable
    >
    /** `overflow` when a bucket would pass 2^53 - 1 centavos. */
    readonly transition: (
      transition: WithdrawalTransition,
    ) => Effect.Effect<TransitionOutcome, StoreUnavailable>
    /** One of the principal's, its key's validity asked in the same round trip. */
    readonly get: (
      principal: Principal,
      id: string,
    ) => Effect.Effect<StoredWithdrawal | { readonly kind: "keyInvalid" } | undefined, StoreUnavailable>
    /** By id alone: for timers and operators. */
    readonly load: (id: string) => Effect.Effect<StoredWithdrawal | undefined, StoreUnavailable>
    readonly list: (
      principal: Principal,
      page: WithdrawalPage,
    ) => Effect.Effect<ReadonlyArray<StoredWithdrawal> | { readonly kind: "keyInvalid" }, StoreUnavailable>
    /** All sellers' withdrawals of a status and mode. */
    readonly listForOperator: (
      page: OperatorPage<WithdrawalStatus>,
    ) => Effect.Effect<ReadonlyArray<StoredWithdrawal>, StoreUnavailable>
  }
>()("corrente/actors/WithdrawalStore") {}
