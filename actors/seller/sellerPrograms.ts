import { Effect } from "effect"
import { makeCreateTransaction } from "./createTransaction.ts"
import { makeCreateWithdrawal } from "./createWithdrawal.ts"
import { makeDecideWithdrawal } from "./decisions/decideWithdrawal.ts"
import { makeFireTimer } from "./fireTimer.ts"
import { makeFireWithdrawalTimer } from "./fireWithdrawalTimer.ts"
import { makePayout } from "./payout.ts"
import { answerToNotice, makeReconcileCharge } from "./reconcileCharge.ts"
import { makeSimulateOutcome } from "./simulateOutcome.ts"

/** Everything a seller actor can do, made once for all of them. */
export const makeSellerPrograms = Effect.gen(function* () {
  const payout = yield* makePayout
  return {
    createTransaction: yield* makeCreateTransaction,
    createWithdrawal: yield* makeCreateWithdrawal,
    decideWithdrawal: yield* makeDecideWithdrawal,
    simulateOutcome: yield* makeSimulateOutcome,
    fireTimer: yield* makeFireTimer,
    fireWithdrawalTimer: yield* makeFireWithdrawalTimer(payout),
    reconcileCharge: yield* makeReconcileCharge,
    reconcilePayout: payout.reconcile,
    answerToNotice,
  }
})

/** See {@link makeSellerPrograms}. */
export type SellerPrograms = Effect.Success<typeof makeSellerPrograms>
