import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { Ledger } from "../../ports/ledger.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"
import type { StoredWithdrawal } from "../../ports/withdrawalStore.ts"
import { debtRefusal } from "../decisions/withdrawalDecisions.ts"

/**
 * Makes the program that postpones a withdrawal's timer while its seller is in debt (docs/contract/withdrawals.md#debts); answers
 * whether it has, and logs why.
 */
export const makeWaitWhileInDebt = Effect.gen(function* () {
  const ledger = yield* Ledger
  const timers = yield* TimerQueue

  return Effect.fnUntraced(function* (timer: DueTimer, stored: StoredWithdrawal) {
    const refused = debtRefusal(stored, yield* ledger.available(stored), "handed to the bank")
    if (refused === undefined) return false
    yield* Effect.logWarning(refused.message)
    yield* timers.postpone(timer, limits.payoutPollMillisMax)
    return true
  })
})
