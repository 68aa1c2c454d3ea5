import { Clock, Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { Acquirers } from "../../ports/acquirer.ts"
import { SimulatedOperator } from "../../ports/simulatedOperator.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"
import { type StoredWithdrawal, WithdrawalStore } from "../../ports/withdrawalStore.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { otherAccountReason } from "../decisions/acquirerAccount.ts"
import { isPaidByHand } from "../decisions/manualPayouts.ts"
import type { ReconcileAnswer } from "../decisions/noticeAnswer.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import {
  decideProcessing,
  pollDelayMillis,
  readWithdrawal,
  resendDelayMillis,
  withoutFundsDelayMillis,
} from "../decisions/withdrawalTransitions.ts"
import { makePayoutCalls, type PayoutTold } from "./acquirerCalls.ts"
import { makeApplyWithdrawal } from "./applyWithdrawal.ts"
import { makeListedPayout } from "./listedPayout.ts"
import { makeOpenPayee } from "./payee.ts"
import { makePayoutDifferences, queryStatusOf } from "./payoutDifferences.ts"
import { makeWaitForAccount, makeWaitWhileFrozen, makeWaitWhileInDebt } from "./waits.ts"
import { alarmWithoutFunds, isOverWithoutFunds, withoutFundsNext } from "./withoutFunds.ts"

const processingMillisOf = (stored: StoredWithdrawal): number =>
  Date.parse(readWithdrawal(stored).processing_at ?? readWithdrawal(stored).updated_at)

/**
 * Makes the payout worker (docs/decisions/0047-payouts-are-sent-once.md). The withdrawal is `processing` in the store before it is
 * sent, under an id derived from its own. From then on the acquirer is asked about it. It is sent again, under the same id, only
 * where neither the acquirer's query nor its list knows that id and the last sending is surely over. A refusal ends a withdrawal that was sent a
 * single time; once a sending may have been accepted, only the acquirer's word that it did not pay ends it as failed. Our own lack
 * of funds at the acquirer ends none (docs/contract/withdrawals.md#without-funds).
 */
export const makePayout = Effect.gen(function* () {
  const store = yield* WithdrawalStore
  const timers = yield* TimerQueue
  const acquirers = yield* Acquirers
  const openPayee = yield* makeOpenPayee
  const { query, send } = yield* makePayoutCalls
  const operator = yield* SimulatedOperator
  const apply = yield* makeApplyWithdrawal
  const differences = yield* makePayoutDifferences
  const listedPayout = yield* makeListedPayout
  const waitForAccount = yield* makeWaitForAccount
  const waitWhileFrozen = yield* makeWaitWhileFrozen
  const waitWhileInDebt = yield* makeWaitWhileInDebt

  const settle = Effect.fnUntraced(function* (stored: StoredWithdrawal, heard: PayoutTold, time: SellerTime) {
    if (heard.status === "silent") {
      yield* Effect.logWarning(`payout of ${stored.id}: ${heard.reason}; it will be asked about`)
      return undefined
    }
    if (isOverWithoutFunds(heard)) {
      yield* alarmWithoutFunds(stored.id, heard.reason, withoutFundsNext.operator)
      return undefined
    }
    return yield* differences.settle(stored, heard, time)
  })

  const refusedAgain = (stored: StoredWithdrawal, reason: string) =>
    Effect.logError(
      `payout of ${stored.id}: the acquirer refused it when it was sent again (${reason}). It stays processing, because the first sending may have been paid; the acquirer's report or an operator ends it`,
    )

  /** Makes an approved withdrawal `processing`, then sends it, unless operators pay it themselves. */
  const pay = Effect.fnUntraced(function* (timer: DueTimer, known: StoredWithdrawal, time: SellerTime) {
    if (known.status !== "approved") return yield* timers.drop(timer)
    const otherAccount = otherAccountReason(known, acquirers)
    if (otherAccount !== undefined) return yield* waitForAccount(timer, otherAccount)
    // An operator pays it and says so. The timer stays, for when the account has payouts by API again.
    if (isPaidByHand(known, acquirers)) {
      return yield* Effect.asVoid(timers.postpone(timer, limits.manualPayoutWaitMillis))
    }
    if (yield* waitWhileFrozen(timer, known.mode)) return
    if (yield* waitWhileInDebt(timer, known)) return
    const payee = yield* openPayee(known)
    if (payee === undefined) {
      yield* timers.postpone(timer, limits.payoutPollMillisMax)
      return
    }
    const firstPollMillis = acquirers[known.mode].isLocal ? operator.delayMillis : limits.payoutPollMillisMin
    const beganMillis = yield* Clock.currentTimeMillis
    // Since when it is processing, whatever it waited for before.
    const began = { ...time, nowMillis: beganMillis + time.offsetMillis }
    const now = yield* apply(known, (stored) => decideProcessing(stored, firstPollMillis, began))
    if (now?.isApplied !== true) return
    const heard = yield* send(now.stored, payee)
    if (heard.status !== "refused") return yield* Effect.asVoid(settle(now.stored, heard, time))
    // Its timer finds that the acquirer does not know the id, and sends it again.
    if (heard.isWithoutFunds) return yield* alarmWithoutFunds(known.id, heard.reason, withoutFundsNext.again)
    // This process may have been paused: then another has sent it, too, and was perhaps not refused.
    const isOnlySending = (yield* Clock.currentTimeMillis) - beganMillis < limits.payoutResendAfterMillis
    if (!isOnlySending) return yield* refusedAgain(now.stored, heard.reason)
    yield* settle(now.stored, { status: "notPaid", reason: heard.reason }, time)
  })

  /**
   * Sends a payout again that the acquirer never heard of: neither its query nor its list knows it. A refusal is believed only if asking
   * confirms it.
   */
  const sendAgain = Effect.fnUntraced(function* (
    timer: DueTimer,
    stored: StoredWithdrawal,
    time: SellerTime,
  ) {
    const listed = yield* listedPayout(stored)
    if (listed.kind !== "absent") {
      const why = listed.kind === "listed" ? `its list has it as ${listed.payout.status}` : listed.reason
      return yield* Effect.logWarning(
        `payout of ${stored.id}: not sent again, although the acquirer's query does not know it: ${why}`,
      )
    }
    const payee = yield* openPayee(stored)
    if (payee === undefined) return
    const heard = yield* send(stored, payee)
    if (heard.status !== "refused" && heard.status !== "notPaid") {
      yield* settle(stored, heard, time)
      return
    }
    const told = yield* query(stored)
    if (told.status === "paid" || told.status === "notPaid") yield* settle(stored, told, time)
    else if (heard.isWithoutFunds && told.status === "unknown") {
      yield* alarmWithoutFunds(stored.id, heard.reason, withoutFundsNext.again)
      const delayMillis = withoutFundsDelayMillis(processingMillisOf(stored), time.nowMillis)
      yield* timers.postpone(timer, delayMillis)
    } else yield* refusedAgain(stored, heard.reason)
  })

  const poll = Effect.fnUntraced(function* (timer: DueTimer, stored: StoredWithdrawal, time: SellerTime) {
    if (stored.status !== "processing") return yield* timers.drop(timer)
    const otherAccount = otherAccountReason(stored, acquirers)
    if (otherAccount !== undefined) return yield* waitForAccount(timer, otherAccount)
    const heard = yield* query(stored)
    yield* differences.whileProcessing(stored, heard, time)
    const sinceMillis = processingMillisOf(stored)
    if (heard.status === "paid" || heard.status === "notPaid") {
      if (isOverWithoutFunds(heard)) {
        yield* timers.postpone(timer, withoutFundsDelayMillis(sinceMillis, time.nowMillis))
      }
      yield* settle(stored, heard, time)
      return
    }
    const isOver = time.nowMillis - sinceMillis >= limits.payoutResendAfterMillis
    const isToBeSent = heard.status === "unknown" && isOver
    if (isToBeSent && (yield* waitWhileFrozen(timer, stored.mode))) return
    if (isToBeSent && (yield* waitWhileInDebt(timer, stored))) return
    // Postponed first: sending again may end the withdrawal, and its timers with it.
    const askAfterMillis = heard.status === "processing" ? heard.askAfterMillis : undefined
    const delayMillis = isToBeSent
      ? resendDelayMillis(sinceMillis, time.nowMillis)
      : (askAfterMillis ?? pollDelayMillis(sinceMillis, time.nowMillis))
    const postponed = yield* timers.postpone(timer, delayMillis)
    // Where its timer has gone, others have ended it meanwhile, or poll it.
    if (isToBeSent && postponed !== undefined) yield* sendAgain(postponed, stored, time)
  })

  const reconcile = Effect.fnUntraced(function* (withdrawalId: string, time: SellerTime) {
    const stored = yield* store.load(withdrawalId)
    if (stored === undefined) return { kind: "missing" } as const
    if (stored.status !== "processing") return yield* differences.reconcile(stored, query(stored), time)
    const otherAccount = otherAccountReason(stored, acquirers)
    if (otherAccount !== undefined) {
      yield* Effect.logError(`${otherAccount}: the acquirer is not asked about it`)
      return { kind: "unavailable", reason: otherAccount } as const
    }
    const heard = yield* query(stored)
    const queryStatus = queryStatusOf(heard)
    if (heard.status === "silent") return { kind: "pending", reason: heard.reason, queryStatus } as const
    if (heard.status !== "paid" && heard.status !== "notPaid") {
      yield* differences.whileProcessing(stored, heard, time)
      return heard.status === "otherAmount"
        ? ({ kind: "pending", reason: "answered with another amount", queryStatus } as const)
        : ({ kind: "pending", queryStatus } as const)
    }
    if (isOverWithoutFunds(heard)) {
      return { kind: "settled", note: withoutFundsNext.operator, queryStatus } as const
    }
    const now = yield* settle(stored, heard, time)
    return now?.isContended === true
      ? ({ kind: "unavailable", reason: "others keep changing the withdrawal" } as const)
      : ({ kind: "settled", note: undefined } as const)
  })

  const payout: Payout = { pay, poll, reconcile }
  return payout
})

/** The payout worker. */
export interface Payout {
  /** Sends an approved withdrawal to its acquirer. */
  readonly pay: (
    timer: DueTimer,
    stored: StoredWithdrawal,
    time: SellerTime,
  ) => Effect.Effect<void, StoreUnavailable>
  /** Asks the acquirer about a withdrawal that is processing. */
  readonly poll: (
    timer: DueTimer,
    stored: StoredWithdrawal,
    time: SellerTime,
  ) => Effect.Effect<void, StoreUnavailable>
  /** Asks because of a notice. */
  readonly reconcile: (
    withdrawalId: string,
    time: SellerTime,
  ) => Effect.Effect<ReconcileAnswer, StoreUnavailable>
}
