import { Context, type Effect } from "effect"
import type { EventType } from "../../schema/events.ts"
import type { Mode } from "../../schema/ids.ts"
import type { WithdrawalStatus } from "../../schema/resources/withdrawal.ts"
import type { IdempotencyAnswer, IdempotencyScope } from "../values/idempotency.ts"
import type { AccessRefusal, Principal } from "../values/principal.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import type { Timer } from "../values/timer.ts"
import type { ExceptionEffect } from "./exceptionStore.ts"
import type { LedgerMovement } from "./ledger.ts"
import type { OperatorPage, StoredPixKey } from "./pixKeyStore.ts"
import type { StoredSeller } from "./sellerStore.ts"
import type { TransitionOutcome } from "./transactionStore.ts"

/** A withdrawal as stored; `document` is the wire's JSON text. */
export interface StoredWithdrawal {
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  readonly status: WithdrawalStatus
  /** Counts the withdrawal's commits, from 1; guards every transition. */
  readonly version: number
  readonly document: string
  /** The acquirer account that pays it, in live. */
  readonly account?: string
  /** Ciphertext of the PIX key's value at the time of the request. */
  readonly pixValue: string
  /** The day it counts in, `2026-11-21` in America/Sao_Paulo. */
  readonly day: string
  /** The Idempotency-Key of its request, whose record lives until a day after the withdrawal's end. */
  readonly idempotency: Pick<IdempotencyScope, "route" | "key">
}

/** The sums of a day's withdrawals. */
export interface WithdrawalDay {
  /** Centavos of `amount`, without rejected, failed and cancelled withdrawals (docs/contract/withdrawals.md#daily-limits). */
  readonly value: number
  /** All that were requested. */
  readonly count: number
}

/** The state a request for a withdrawal is decided on, read in one step. */
export interface WithdrawalPreconditions {
  readonly seller: StoredSeller
  readonly pixKey: StoredPixKey | undefined
  /** Centavos. */
  readonly available: number
  /** The seller's withdrawal that has not ended, if any. */
  readonly openWithdrawalId: string | undefined
  readonly day: WithdrawalDay
}

/** A new withdrawal, with the state it was decided on, which must still stand. */
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
  readonly eventType: EventType
  readonly movement: LedgerMovement
  readonly timers: ReadonlyArray<Timer>
}

/** A transition of a withdrawal. The last one lets the seller request another, and the Idempotency-Key run out. */
export interface WithdrawalTransition {
  readonly withdrawal: StoredWithdrawal
  readonly to: WithdrawalStatus
  readonly document: string
  readonly eventType: EventType
  readonly movement: LedgerMovement | undefined
  /** Centavos that no longer count in its day: the amount, where it is rejected, has failed or is cancelled. */
  readonly dayValueBack: number
  readonly timers: ReadonlyArray<Timer>
  readonly timersDone: ReadonlyArray<string>
  /** What the commit does to an exception of the withdrawal. */
  readonly exception?: ExceptionEffect | undefined
  /** The version of the seller it was decided on; undefined where the seller does not matter. */
  readonly sellerVersion?: number | undefined
  /** Centavos that the seller must have available, or it is stale; undefined where the balance does not matter. */
  readonly availableMin?: number | undefined
}

/** A page of a seller's withdrawals, newest first by id. */
export interface WithdrawalPage {
  readonly status: WithdrawalStatus | undefined
  readonly fromMillis: number | undefined
  readonly toMillis: number | undefined
  readonly beforeId: string | undefined
  readonly limit: number
}

/** Withdrawals. State, ledger, event, deliveries owed, timers and Idempotency-Key change in one atomic step. */
export class WithdrawalStore extends Context.Service<
  WithdrawalStore,
  {
    /** The state a request is decided on, unless it was answered before or may not be made. */
    readonly readPreconditions: (
      principal: Principal,
      idempotency: IdempotencyScope,
      pixKeyId: string,
      day: string,
    ) => Effect.Effect<
      ({ readonly kind: "open" } & WithdrawalPreconditions) | IdempotencyAnswer | AccessRefusal,
      StoreUnavailable
    >
    /** Creates a withdrawal. `stale`: what it was decided on has changed, or the money is gone; nothing was written. */
    readonly create: (
      commit: CreateWithdrawalCommit,
    ) => Effect.Effect<
      { readonly kind: "created" } | { readonly kind: "stale" } | IdempotencyAnswer | AccessRefusal,
      StoreUnavailable
    >
    /** Applies a transition. `stale`: what it was decided on has changed. `overflow`: a bucket would pass 2^53 - 1 centavos. */
    readonly transition: (
      transition: WithdrawalTransition,
    ) => Effect.Effect<TransitionOutcome, StoreUnavailable>
    /** A withdrawal of the principal; checks the key in the same round trip. */
    readonly get: (
      principal: Principal,
      id: string,
    ) => Effect.Effect<StoredWithdrawal | { readonly kind: "keyInvalid" } | undefined, StoreUnavailable>
    /** A withdrawal by id alone, for timers and operators. */
    readonly load: (id: string) => Effect.Effect<StoredWithdrawal | undefined, StoreUnavailable>
    /** Many by id, read in one pipeline, in the order of their ids; those that do not exist are left out. */
    readonly loadMany: (
      ids: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<StoredWithdrawal>, StoreUnavailable>
    readonly list: (
      principal: Principal,
      page: WithdrawalPage,
    ) => Effect.Effect<ReadonlyArray<StoredWithdrawal> | { readonly kind: "keyInvalid" }, StoreUnavailable>
    /** The withdrawals of all sellers with a status and mode. */
    readonly listForOperator: (
      page: OperatorPage<WithdrawalStatus>,
    ) => Effect.Effect<ReadonlyArray<StoredWithdrawal>, StoreUnavailable>
    /** The same, oldest first by id: only ids above `afterId`. */
    readonly listOldestForOperator: (
      page: Omit<OperatorPage<WithdrawalStatus>, "beforeId"> & { readonly afterId: string | undefined },
    ) => Effect.Effect<ReadonlyArray<StoredWithdrawal>, StoreUnavailable>
  }
>()("corrente/actors/WithdrawalStore") {}
