import { Effect } from "effect"
import { makeCreateTransaction } from "./operations/createTransaction.ts"
import { makeCreateWithdrawal } from "./operations/createWithdrawal.ts"
import { makeDecideWithdrawal } from "./operations/decideWithdrawal.ts"
import { makeSimulateOutcome } from "./operations/simulateOutcome.ts"
import { answerToNotice, makeReconcileCharge } from "./programs/chargeReconciliation.ts"
import { makeFireTimer } from "./programs/chargeTimer.ts"
import { makePayout } from "./programs/payout.ts"
import { makeFireWithdrawalTimer } from "./programs/withdrawalTimer.ts"

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
