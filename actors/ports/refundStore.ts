import { Context, type Effect } from "effect"
import type { EventType } from "../../schema/events.ts"
import type { Mode } from "../../schema/ids.ts"
import type { RefundStatus } from "../../schema/resources/refund.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import type { IdempotencyAnswer, IdempotencyScope } from "../values/idempotency.ts"
import type { AccessRefusal, Principal } from "../values/principal.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import type { Timer } from "../values/timer.ts"
import type { ExceptionEffect } from "./exceptionStore.ts"
import type { LedgerMovement } from "./ledger.ts"
import type { StoredSeller } from "./sellerStore.ts"
import type {
  CustomerEffect,
  PostbackDestination,
  StoredTransaction,
  TransitionOutcome,
} from "./transactionStore.ts"

/** A refund as stored; `document` is the wire's JSON text. */
export interface StoredRefund {
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  /** The charge whose money goes back. */
  readonly transactionId: string
  readonly status: RefundStatus
  /** Counts the refund's commits, from 1; guards every transition. */
  readonly version: number
  readonly document: string
  /** The acquirer account that refunds it, in live: its charge's. Absent where that has none. */
  readonly account?: string
  /** Centavos of the hold that came from the charge's reserve; the rest came from `available`. 0 where nothing was held. */
  readonly heldFromReserve: number
  /** The Idempotency-Key of its request, whose record lives until a day after its end; absent where it began at the acquirer. */
  readonly idempotency?: Pick<IdempotencyScope, "route" | "key">
}

/** The state a request for a refund is decided on, read in one step. */
export interface RefundPreconditions {
  readonly seller: StoredSeller
  /** The principal's own. */
  readonly transaction: StoredTransaction
  /** Centavos of the charge in refunds that have not ended. */
  readonly refunding: number
  /** All refunds of the charge, whatever became of them. */
  readonly refunds: number
  /** Centavos of the balance. */
  readonly available: number
  /** Centavos of the balance that the reserves of all charges hold. */
  readonly reserve: number
}

/**
 * What a refund's commit changes of its charge. The charge's version goes up with each, so that everything decided on the charge is
 * decided on all its refunds.
 */
export interface RefundedCharge {
  /** As it was decided on: the commit is `stale` where its status or version has changed. */
  readonly transaction: StoredTransaction
  readonly to: TransactionStatus
  readonly document: string
  /** Centavos that refunds under way gain of the charge: the amount at the creation, minus the amount at the end. */
  readonly refundingChange: number
  /** The charge's own event, appended after the refund's; undefined: none. It alone goes to the postback, too. */
  readonly eventType: EventType | undefined
  readonly postback: PostbackDestination | undefined
  /** Where money of it goes back. */
  readonly customer?: CustomerEffect
  /** Timers of the charge to set; `timersDone`: names of its timers to drop. */
  readonly timers: ReadonlyArray<Timer>
  readonly timersDone: ReadonlyArray<string>
}

/** A new refund, with the state it was decided on, which must still stand. */
export interface CreateRefundCommit {
  readonly principal: Principal
  readonly idempotency: IdempotencyScope
  /** `pending`, its version 1. */
  readonly refund: StoredRefund
  /** Centavos that `available` must have: the part of the hold that it gives. Below zero afterwards, the reserve that is left covers it. */
  readonly heldFromAvailable: number
  readonly decidedOn: { readonly sellerVersion: number }
  readonly charge: RefundedCharge
  readonly eventType: EventType
  /** `refund_held`. */
  readonly movement: LedgerMovement
  /** Timers of the refund. */
  readonly timers: ReadonlyArray<Timer>
}

/** A transition of a refund. Its end changes the charge in the same step, and lets its Idempotency-Key run out. */
export interface RefundTransition {
  /** As it was decided on. */
  readonly refund: StoredRefund
  readonly to: RefundStatus
  readonly document: string
  /** Undefined: no event, as of `processing`. */
  readonly eventType: EventType | undefined
  readonly movement: LedgerMovement | undefined
  /** Undefined: the charge stays as it is, as when the refund is sent. */
  readonly charge: RefundedCharge | undefined
  /** Timers of the refund to set; `timersDone`: names of its timers to drop. */
  readonly timers: ReadonlyArray<Timer>
  readonly timersDone: ReadonlyArray<string>
  /** What the commit does to an exception of the refund. */
  readonly exception?: ExceptionEffect | undefined
}

/** Live refunds that are processing for long, and of them the one that is for longest. */
export interface StuckRefunds {
  readonly count: number
  readonly oldest: { readonly id: string; readonly sinceMillis: number } | undefined
}

/** A page of refunds, newest first by id. */
export interface RefundPage {
  readonly status: RefundStatus | undefined
  /** Only those of this charge. */
  readonly transactionId: string | undefined
  readonly fromMillis: number | undefined
  readonly toMillis: number | undefined
  /** Only ids below it. */
  readonly beforeId: string | undefined
  readonly limit: number
}

/**
 * Refunds (docs/contract/refunds.md). A refund, its indexes, its charge, the money held, its event, its timers and the
 * Idempotency-Key change in one atomic step. Refunds that began at the acquirer are created by their charge's commit
 * (`TransactionStore.transition`).
 */
export class RefundStore extends Context.Service<
  RefundStore,
  {
    /**
     * The state a request is decided on, unless it was answered before or may not be made. `missing`: the principal has no such
     * charge.
     */
    readonly readPreconditions: (
      principal: Principal,
      idempotency: IdempotencyScope,
      transactionId: string,
    ) => Effect.Effect<
      | ({ readonly kind: "open" } & RefundPreconditions)
      | { readonly kind: "missing" }
      | IdempotencyAnswer
      | AccessRefusal,
      StoreUnavailable
    >
    /** Creates a refund. `stale`: what it was decided on has changed, or the money is gone; nothing was written. */
    readonly create: (
      commit: CreateRefundCommit,
    ) => Effect.Effect<
      { readonly kind: "created" } | { readonly kind: "stale" } | IdempotencyAnswer | AccessRefusal,
      StoreUnavailable
    >
    /**
     * Applies a transition. `stale`: the refund or its charge has changed. `missing`: one of them does not exist. `overflow`: a
     * bucket would pass 2^53 - 1 centavos.
     */
    readonly transition: (transition: RefundTransition) => Effect.Effect<TransitionOutcome, StoreUnavailable>
    /** A refund of the principal; checks the key in the same round trip. */
    readonly get: (
      principal: Principal,
      id: string,
    ) => Effect.Effect<StoredRefund | { readonly kind: "keyInvalid" } | undefined, StoreUnavailable>
    /** A refund by id alone, for timers, notices and test controls. */
    readonly load: (id: string) => Effect.Effect<StoredRefund | undefined, StoreUnavailable>
    /** Notes that a refund is processing since then, for longer than it should be. `ended`: it is not any more. */
    readonly noteStuck: (
      refund: Pick<StoredRefund, "id" | "sellerId">,
      sinceMillis: number,
    ) => Effect.Effect<"noted" | "known" | "ended", StoreUnavailable>
    /** The refunds of all sellers that were noted so and have not ended. */
    readonly stuck: () => Effect.Effect<StuckRefunds, StoreUnavailable>
    /** A page of the principal's refunds; empty for a charge that is not the principal's. */
    readonly list: (
      principal: Principal,
      page: RefundPage,
    ) => Effect.Effect<ReadonlyArray<StoredRefund> | { readonly kind: "keyInvalid" }, StoreUnavailable>
  }
>()("corrente/actors/RefundStore") {}
