import { advanceClock } from "./advanceClock.ts"
import { createRefund } from "./createRefund.ts"
import { createTransaction } from "./createTransaction.ts"
import { createWithdrawal } from "./createWithdrawal.ts"
import { decideWithdrawal } from "./decideWithdrawal.ts"
import { endManualPayout } from "./endManualPayout.ts"
import { fireRefundTimer } from "./fireRefundTimer.ts"
import { fireTimers } from "./fireTimers.ts"
import { fireWithdrawalTimer } from "./fireWithdrawalTimer.ts"
import { reconcileCharge } from "./reconcileCharge.ts"
import { reconcilePayout } from "./reconcilePayout.ts"
import { reconcileRefund } from "./reconcileRefund.ts"
import { resolveException } from "./resolveException.ts"
import { simulateOutcome } from "./simulateOutcome.ts"
import { simulateRefund } from "./simulateRefund.ts"

/** The commands a seller's actor accepts. A new one is a file of this folder and a line here. */
export const operations = [
  createTransaction,
  createWithdrawal,
  createRefund,
  decideWithdrawal,
  endManualPayout,
  simulateOutcome,
  simulateRefund,
  reconcileCharge,
  reconcilePayout,
  reconcileRefund,
  resolveException,
  fireTimers,
  fireWithdrawalTimer,
  fireRefundTimer,
  advanceClock,
] as const

/** Names an operation of the list. */
export type OperationName = (typeof operations)[number]["name"]
