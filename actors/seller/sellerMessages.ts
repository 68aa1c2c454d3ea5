import type { Deferred } from "effect"
import type { ApiError } from "../../schema/errors.ts"
import type { CreateTransaction, TransactionStatus } from "../../schema/resources/transaction.ts"
import type { CreateWithdrawal } from "../../schema/resources/withdrawal.ts"
import type { IdempotencyAnswer, IdempotencyScope } from "../ports/idempotency.ts"
import type { AccessRefusal, Principal } from "../ports/principal.ts"
import type { StoreUnavailable } from "../ports/store.ts"
import type { ClaimedCharge, DueTimer } from "../ports/timerQueue.ts"
import type { StoredTransaction } from "../ports/transactionStore.ts"
import type { StoredWithdrawal } from "../ports/withdrawalStore.ts"
import type { ActorFailed } from "../runtime/actor.ts"
import type { NoticedTransfer, ReconcileAnswer, WithdrawalAct } from "./sellerCommands.ts"

/** What became of a request to create a charge or a withdrawal. */
export type CreateAnswer =
  /** A fresh answer: 201 with the resource's JSON text (document sealed), or an error that is now saved under the key. */
  | { readonly kind: "answered"; readonly status: number; readonly body: string }
  | IdempotencyAnswer
  | AccessRefusal

type Reply<A> = Deferred.Deferred<A, ApiError | StoreUnavailable | ActorFailed>

export interface CreateTransactionMessage {
  readonly _tag: "CreateTransaction"
  readonly principal: Principal
  readonly body: CreateTransaction
  readonly idempotency: IdempotencyScope
  /** Stands in the envelope of a saved error (decisions 5). */
  readonly requestId: string
  readonly reply: Deferred.Deferred<CreateAnswer, StoreUnavailable | ActorFailed>
}

export interface CreateWithdrawalMessage {
  readonly _tag: "CreateWithdrawal"
  readonly principal: Principal
  readonly body: CreateWithdrawal
  readonly idempotency: IdempotencyScope
  readonly requestId: string
  readonly reply: Reply<CreateAnswer>
}

/** Somebody's word on a withdrawal. */
export interface DecideWithdrawalMessage {
  readonly _tag: "DecideWithdrawal"
  readonly withdrawal: StoredWithdrawal
  readonly act: WithdrawalAct
  readonly reason: string | undefined
  readonly reply: Reply<StoredWithdrawal>
}

/** The test control plane's word on a charge. */
export interface SimulateOutcomeMessage {
  readonly _tag: "SimulateOutcome"
  readonly transaction: StoredTransaction
  readonly to: Exclude<TransactionStatus, "pending">
  readonly reply: Reply<StoredTransaction>
}

/** A notice told of a charge or a payout. */
export interface ReconcileMessage {
  readonly _tag: "Reconcile"
  readonly about:
    | { readonly transaction: StoredTransaction; readonly noticed: NoticedTransfer }
    | { readonly withdrawal: StoredWithdrawal }
  readonly reply: Deferred.Deferred<ReconcileAnswer, StoreUnavailable | ActorFailed>
}

/** A timer of one of the seller's charges is due and leased to this process. */
export interface FireTimerMessage {
  readonly _tag: "FireTimer"
  readonly timer: DueTimer
  readonly transaction: StoredTransaction
}

/** Timers of its charges that came due together; they are fired together, and the answer says that all have ended. */
export interface FireTimersMessage {
  readonly _tag: "FireTimers"
  readonly due: ReadonlyArray<{ readonly timer: DueTimer; readonly charge: ClaimedCharge }>
  readonly reply: Deferred.Deferred<void, ActorFailed>
}

/** The same of one of its withdrawals. */
export interface FireWithdrawalTimerMessage {
  readonly _tag: "FireWithdrawalTimer"
  readonly timer: DueTimer
  readonly withdrawal: StoredWithdrawal
}

/** The clock of the seller's test mode was advanced: what this process remembers of it is old. */
export interface ClockAdvancedMessage {
  readonly _tag: "ClockAdvanced"
  readonly offsetMillis: number
}

/** What a seller actor is told. */
export type SellerMessage =
  | CreateTransactionMessage
  | CreateWithdrawalMessage
  | DecideWithdrawalMessage
  | SimulateOutcomeMessage
  | ReconcileMessage
  | FireTimerMessage
  | FireTimersMessage
  | FireWithdrawalTimerMessage
  | ClockAdvancedMessage
