import { advanceClock } from "./advanceClock.ts"
import { createTransaction } from "./createTransaction.ts"
import { createWithdrawal } from "./createWithdrawal.ts"
import { decideWithdrawal } from "./decideWithdrawal.ts"
import { fireTimers } from "./fireTimers.ts"
import { fireWithdrawalTimer } from "./fireWithdrawalTimer.ts"
import { reconcileCharge } from "./reconcileCharge.ts"
import { reconcilePayout } from "./reconcilePayout.ts"
import { simulateOutcome } from "./simulateOutcome.ts"

/** The commands a seller's actor accepts. A new one is a file of this folder and a line here. */
export const operations = [
  createTransaction,
  createWithdrawal,
  decideWithdrawal,
  simulateOutcome,
  reconcileCharge,
  reconcilePayout,
  fireTimers,
  fireWithdrawalTimer,
  advanceClock,
] as const

/** Names an operation of the list. */
export type OperationName = (typeof operations)[number]["name"]
