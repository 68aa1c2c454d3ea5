import { Effect } from "effect"
import { makeCreateTransaction } from "./createTransaction.ts"
import { makeCreateWithdrawal } from "./createWithdrawal.ts"
import { makeDecideWithdrawal } from "./decisions/decideWithdrawal.ts"
import { makeFireTimer } from "./fireTimer.ts"
import { makeFireWithdrawalTimer } from "./fireWithdrawalTimer.ts"
import { makePayout } from "./payout.ts"
import { answerToNotice, makeAskCharge } from "./reconcileCharge.ts"
import { makeForceTransaction } from "./simulateOutcome.ts"

/** Everything a seller actor can do, made once for all of them. */
export const makeSellerPrograms = Effect.gen(function* () {
  const payout = yield* makePayout
  return {
    createTransaction: yield* makeCreateTransaction,
    createWithdrawal: yield* makeCreateWithdrawal,
    decideWithdrawal: yield* makeDecideWithdrawal,
    forceTransaction: yield* makeForceTransaction,
    fireTimer: yield* makeFireTimer,
    fireWithdrawalTimer: yield* makeFireWithdrawalTimer(payout),
    askCharge: yield* makeAskCharge,
    askPayout: payout.ask,
    answerToNotice,
  }
})

/** See {@link makeSellerPrograms}. */
export type SellerPrograms = Effect.Success<typeof makeSellerPrograms>
