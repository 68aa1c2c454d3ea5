import { Context, type Effect } from "effect"
import type { ApiError } from "../../schema/errors.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import type { CreateWithdrawal } from "../../schema/resources/withdrawal.ts"
import type { IdempotencyScope } from "../ports/idempotency.ts"
import type { Principal } from "../ports/principal.ts"
import type { StoreUnavailable } from "../ports/store.ts"
import type { StoredTransaction } from "../ports/transactionStore.ts"
import type { StoredWithdrawal } from "../ports/withdrawalStore.ts"
import type { CreateAnswer } from "./sellerMessages.ts"

/** What may be decided of a withdrawal; `succeed` and `fail` are the simulated bank's words (decisions 3). */
export type WithdrawalAct = "approve" | "reject" | "cancel" | "succeed" | "fail"

/** What a partner's notice tells of a charge: a transfer, and a refund of it that is done. */
export interface NoticedTransfer {
  readonly endToEndId: string | undefined
  readonly refundId: string | undefined
}

/** What asking the partner about a charge or payout has come to. */
export type ReconcileAnswer =
  /** It is as the partner says; `note` tells what was unusual (a late or double payment, a wrong amount). */
  | { readonly kind: "settled"; readonly note: string | undefined }
  /** The partner has no news, or not all of it yet: ask again later. */
  | { readonly kind: "pending" }
  /** No such charge or withdrawal. */
  | { readonly kind: "missing" }
  /** The partner or the store did not answer. */
  | { readonly kind: "unavailable"; readonly reason: string }

type Outcome<A> = Effect.Effect<A, ApiError | StoreUnavailable>

/** What a seller's actor is asked to do, as functions; each waits in the seller's mailbox. 503 where that is full. */
export class SellerCommands extends Context.Service<
  SellerCommands,
  {
    /** POST /v1/withdrawals; `requestId` stands in the envelope of a saved refusal (decisions 5). */
    readonly createWithdrawal: (request: {
      readonly principal: Principal
      readonly body: CreateWithdrawal
      readonly idempotency: IdempotencyScope
      readonly requestId: string
    }) => Outcome<CreateAnswer>
    /**
     * Decides a withdrawal, and answers it as it is then; 409 `invalid_state` where its state does not allow that, 404
     * where there is none. Who may decide is the caller's to check.
     */
    readonly decideWithdrawal: (
      withdrawalId: string,
      act: WithdrawalAct,
      reason: string | undefined,
    ) => Outcome<StoredWithdrawal>
    /** The test control plane's word on a charge (decisions 3): 409 `invalid_state` where its state does not allow it. */
    readonly simulateOutcome: (
      transactionId: string,
      to: Exclude<TransactionStatus, "pending">,
    ) => Outcome<StoredTransaction>
    /** Asks the partner what became of a charge, because a notice told of it, and applies that. */
    readonly reconcileCharge: (
      transactionId: string,
      noticed: NoticedTransfer,
    ) => Effect.Effect<ReconcileAnswer>
    /** Asks the partner what became of a withdrawal's payout, because a notice told of it, and applies that. */
    readonly reconcilePayout: (withdrawalId: string) => Effect.Effect<ReconcileAnswer>
    /** Advances the clock of a seller's test mode (decisions 3); answers what it shows then, in ms. */
    readonly advanceClock: (sellerId: string, seconds: number) => Outcome<number>
  }
>()("corrente/actors/SellerCommands") {}
