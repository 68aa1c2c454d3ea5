import { Effect } from "effect"
import { RefundStore, type RefundTransition, type StoredRefund } from "../../ports/refundStore.ts"
import { type StoredTransaction, TransactionStore } from "../../ports/transactionStore.ts"
import { decideAndCommit, stale } from "../../runtime/decideAndCommit.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { balanceFull } from "../decisions/movements.ts"
import { afterRefundTransition } from "../decisions/refundTransitions.ts"
import { makeWithStuckRefundResolved } from "./stuckEnds.ts"

/** A refund and its charge: each decision about the one depends on the other. */
export interface RefundWithCharge {
  readonly refund: StoredRefund
  readonly transaction: StoredTransaction
}

/**
 * A refund after a decision; undefined where it, or its charge, does not exist. `isApplied`: our transition was committed.
 * `isContended`: none could be, because others kept changing refund or charge, or a balance has no room.
 */
export type AppliedRefund =
  | { readonly refund: StoredRefund; readonly isApplied: boolean; readonly isContended: boolean }
  | undefined

/** Makes the program that reads the charge of a refund; undefined where it does not exist. */
export const makeWithCharge = Effect.map(
  TransactionStore,
  (transactions) =>
    (refund: StoredRefund): Effect.Effect<RefundWithCharge | undefined, StoreUnavailable> =>
      Effect.map(transactions.load(refund.transactionId), (transaction) =>
        transaction === undefined ? undefined : { refund, transaction },
      ),
)

/**
 * Makes the program that decides a refund's transition and commits it with what it changes of its charge. A decision of `undefined`
 * changes nothing.
 */
export const makeApplyRefund = Effect.gen(function* () {
  const store = yield* RefundStore
  const withCharge = yield* makeWithCharge
  const withStuckResolved = yield* makeWithStuckRefundResolved

  const readAgain = ({ refund: { id } }: RefundWithCharge) =>
    Effect.flatMap(store.load(id), (refund) =>
      refund === undefined ? Effect.succeed(undefined) : withCharge(refund),
    )

  return (
    known: RefundWithCharge,
    decide: (found: RefundWithCharge) => RefundTransition | undefined,
  ): Effect.Effect<AppliedRefund, StoreUnavailable> =>
    decideAndCommit({
      known,
      read: readAgain(known),
      attempt: Effect.fnUntraced(function* (found: RefundWithCharge | undefined) {
        if (found === undefined) return undefined
        const { refund } = found
        const decided = decide(found)
        if (decided === undefined) return { refund, isApplied: false, isContended: false }
        const transition = yield* withStuckResolved(decided)
        const { kind } = yield* store.transition(transition)
        switch (kind) {
          case "applied":
            return { refund: afterRefundTransition(refund, transition), isApplied: true, isContended: false }
          case "stale":
            return stale
          case "missing":
            return undefined
          case "overflow":
            yield* Effect.logError(`${refund.id} stays ${refund.status}: ${balanceFull}`)
            return { refund, isApplied: false, isContended: true }
        }
      }),
      giveUp: (found) =>
        Effect.succeed(
          found === undefined ? undefined : { refund: found.refund, isApplied: false, isContended: true },
        ),
    })
})
