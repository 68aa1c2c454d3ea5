import type { Deferred } from "effect"
import type { CreateTransaction } from "../../schema/resources/transaction.ts"
import type { StoreUnavailable } from "../ports/store.ts"
import type { DueTimer } from "../ports/timerQueue.ts"
import type {
  AccessRefusal,
  IdempotencyAnswer,
  IdempotencyScope,
  Principal,
  StoredTransaction,
} from "../ports/transactionStore.ts"
import type { ActorFailed } from "../runtime/registry.ts"

/** What became of a request to create a charge. */
export type CreateAnswer =
  /** A fresh answer: 201 with the charge's JSON text (document sealed), or an error that is now saved under the key. */
  | { readonly kind: "answered"; readonly status: number; readonly body: string }
  | IdempotencyAnswer
  | AccessRefusal

export interface CreateTransactionMessage {
  readonly _tag: "CreateTransaction"
  readonly principal: Principal
  readonly body: CreateTransaction
  readonly idempotency: IdempotencyScope
  /** Stands in the envelope of a saved error (decisions 5). */
  readonly requestId: string
  readonly reply: Deferred.Deferred<CreateAnswer, StoreUnavailable | ActorFailed>
}

/** A timer of one of the seller's charges is due and leased to this process. */
export interface FireTimerMessage {
  readonly _tag: "FireTimer"
  readonly timer: DueTimer
  readonly transaction: StoredTransaction
}

/** What a seller actor is told. */
export type SellerMessage = CreateTransactionMessage | FireTimerMessage
