import { Clock, Effect } from "effect"
import type { Mode } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { Ledger } from "../../ports/ledger.ts"
import { PayoutGate } from "../../ports/payoutGate.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"
import type { StoredWithdrawal } from "../../ports/withdrawalStore.ts"
import { debtRefusal } from "../decisions/withdrawalDecisions.ts"
import { makeAccountChanged } from "./accountChanged.ts"

/**
 * Makes the program that postpones a timer while nothing may be handed to the acquirer
 * (docs/contract/exceptions.md#freeze); answers whether it has. It logs the reason, once a minute at most: a freeze may
 * hold up many payouts and refunds.
 */
export const makeWaitWhileFrozen = Effect.gen(function* () {
  const timers = yield* TimerQueue
  const gate = yield* PayoutGate
  let reportedMillis = Number.NEGATIVE_INFINITY

  return Effect.fnUntraced(function* (timer: DueTimer, mode: Mode) {
    const reason = yield* gate.frozen(mode)
    if (reason === undefined) return false
    const nowMillis = yield* Clock.currentTimeMillis
    if (nowMillis - reportedMillis >= limits.frozenReportMillis) {
      reportedMillis = nowMillis
      yield* Effect.logWarning(`payouts and refunds wait (${timer.resourceId} among them), frozen: ${reason}`)
    }
    yield* timers.postpone(timer, limits.frozenWaitMillis)
    return true
  })
})

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

/**
 * Makes the program that lets the timer of a charge, withdrawal or refund of another acquirer account wait, logs why, and records it as
 * an exception.
 */
export const makeWaitForAccount = Effect.gen(function* () {
  const timers = yield* TimerQueue
  const accountChanged = yield* makeAccountChanged

  return Effect.fnUntraced(function* (timer: DueTimer, reason: string) {
    yield* Effect.logError(`${reason}: nothing is asked or sent until that account is configured again`)
    yield* accountChanged(timer.resourceId)
    yield* timers.postpone(timer, limits.otherAccountWaitMillis)
  })
})
