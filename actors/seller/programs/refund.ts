import { Clock, Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { Acquirers, type RefundReport } from "../../ports/acquirer.ts"
import { ExceptionRules } from "../../ports/exceptionRules.ts"
import { ExceptionStore } from "../../ports/exceptionStore.ts"
import { RefundStore, type StoredRefund } from "../../ports/refundStore.ts"
import { SimulatedOperator } from "../../ports/simulatedOperator.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { acquirerSlugOf, otherAccountReason } from "../decisions/acquirerAccount.ts"
import type { ReconcileAnswer } from "../decisions/noticeAnswer.ts"
import { isRefundStuck, stuckRefundException } from "../decisions/refundDecisions.ts"
import {
  decideRefundFailed,
  decideRefundProcessing,
  decideRefundReport,
  processingMillisOf,
  readRefund,
} from "../decisions/refundTransitions.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import {
  pollDelayMillis,
  resendDelayMillis,
  withoutFundsDelayMillis,
} from "../decisions/withdrawalTransitions.ts"
import { makeRefundCalls, type RefundHeard, type RefundTold } from "./acquirerCalls.ts"
import { makeApplyRefund, makeWithCharge, type RefundWithCharge } from "./applyRefund.ts"
import { warnOfUnsent } from "./ownReturns.ts"
import { makeWaitForAccount, makeWaitWhileFrozen } from "./waits.ts"
import { alarmRefundWithoutFunds, isRefundWithoutFunds, withoutFundsNext } from "./withoutFunds.ts"

/**
 * Makes the program that counts a live refund which the acquirer has not ended for as long as a payout may take, and records its
 * `refund_stuck` (docs/operations.md#stuck-refunds).
 */
const makeNoteStuck = Effect.gen(function* () {
  const store = yield* RefundStore
  const exceptions = yield* ExceptionStore
  const acquirers = yield* Acquirers
  const { payoutStuckMillis } = yield* ExceptionRules

  return Effect.fnUntraced(function* ({ refund, transaction }: RefundWithCharge, time: SellerTime) {
    if (!isRefundStuck(refund, payoutStuckMillis, time.nowMillis)) return
    if ((yield* store.noteStuck(refund, processingMillisOf(refund))) === "ended") return
    const slug = acquirerSlugOf(refund, acquirers)
    const exception = stuckRefundException(refund, transaction, slug, time)
    const { kind, id } = yield* exceptions.open(exception)
    if (kind === "opened") yield* Effect.logError(`exception ${id}: ${exception.fact}`)
  })
})

/** The refund worker (docs/contract/refunds.md#live). */
export interface RefundWorker {
  /** Sends a pending refund to its acquirer. */
  readonly send: (
    timer: DueTimer,
    known: StoredRefund,
    time: SellerTime,
  ) => Effect.Effect<void, StoreUnavailable>
  /** Asks the acquirer about a refund that is processing. */
  readonly poll: (
    timer: DueTimer,
    known: StoredRefund,
    time: SellerTime,
  ) => Effect.Effect<void, StoreUnavailable>
  /** Asks because of a notice. */
  readonly reconcile: (refundId: string, time: SellerTime) => Effect.Effect<ReconcileAnswer, StoreUnavailable>
}

/** When a refund is asked about first. A simulated one ends so long after its creation, whenever it was sent. */
const firstPollMillis = (
  refund: StoredRefund,
  isLocal: boolean,
  simulatorDelayMillis: number,
  time: SellerTime,
): number =>
  isLocal
    ? Math.max(time.nowMillis, Date.parse(readRefund(refund).created_at) + simulatorDelayMillis)
    : time.nowMillis + limits.payoutPollMillisMin

type Final = RefundReport & { readonly status: "done" | "failed" }
const isFinal = (heard: RefundHeard): heard is Final => heard.status === "done" || heard.status === "failed"

const nameOf = ({ id }: StoredRefund): string => `refund ${id}`
const wordsOf = ({ failureReason, failureCode }: RefundReport): string =>
  failureReason ?? failureCode ?? "it says it failed"

/**
 * Makes the refund worker. Like a payout (docs/decisions/0047-payouts-are-sent-once.md), a refund is `processing` in the store before
 * it is sent, under an id derived from its own. From then on the acquirer is asked about it. It is sent again, under the same id, only
 * where the acquirer never heard of that id and the last sending is surely over. A refusal ends a refund that was sent a single time;
 * once a sending may have been accepted, only the acquirer's word that no money went back ends it as failed.
 * Our own lack of funds at the acquirer ends none (docs/contract/refunds.md#without-funds).
 */
export const makeRefund = Effect.gen(function* () {
  const store = yield* RefundStore
  const timers = yield* TimerQueue
  const acquirers = yield* Acquirers
  const operator = yield* SimulatedOperator
  const calls = yield* makeRefundCalls
  const withCharge = yield* makeWithCharge
  const apply = yield* makeApplyRefund
  const waitForAccount = yield* makeWaitForAccount
  const waitWhileFrozen = yield* makeWaitWhileFrozen
  const noteStuck = yield* makeNoteStuck

  const settle = Effect.fnUntraced(function* (known: RefundWithCharge, heard: RefundTold, time: SellerTime) {
    if (heard.status === "silent") {
      yield* Effect.logWarning(`refund ${known.refund.id}: ${heard.reason}; it will be asked about`)
      return undefined
    }
    if (heard.status === "unknown") return undefined
    if (isRefundWithoutFunds(heard)) {
      yield* alarmRefundWithoutFunds(nameOf(known.refund), wordsOf(heard), withoutFundsNext.operator)
      return undefined
    }
    return yield* apply(known, ({ refund, transaction }) =>
      decideRefundReport(refund, transaction, heard, time),
    )
  })

  const refusedAgain = ({ refund }: RefundWithCharge, reason: string) =>
    Effect.logError(
      `refund ${refund.id}: the acquirer refused it when it was sent again (${reason}). It stays processing, because the first sending may have been accepted; the acquirer's report ends it`,
    )

  const send: RefundWorker["send"] = Effect.fnUntraced(function* (timer, known, time) {
    if (known.status !== "pending") return yield* timers.drop(timer)
    const otherAccount = otherAccountReason(known, acquirers)
    if (otherAccount !== undefined) return yield* waitForAccount(timer, otherAccount)
    if (yield* waitWhileFrozen(timer, known.mode)) return
    const { isLocal } = acquirers[known.mode]
    const beganMillis = yield* Clock.currentTimeMillis
    const began = { ...time, nowMillis: beganMillis + time.offsetMillis }
    const pollMillis = firstPollMillis(known, isLocal, operator.delayMillis, began)
    const pending = yield* withCharge(known)
    if (pending === undefined) return yield* timers.drop(timer)
    const now = yield* apply(pending, ({ refund }) => decideRefundProcessing(refund, pollMillis, began))
    if (now?.isApplied !== true) return
    const sent = { ...pending, refund: now.refund }
    const heard = yield* calls.send(sent)
    if (heard.status !== "refused") return yield* Effect.asVoid(settle(sent, heard, time))
    if (heard.isWithoutFunds === true) {
      // Its timer finds that the acquirer does not know the id, and sends it again.
      return yield* alarmRefundWithoutFunds(nameOf(known), heard.reason, withoutFundsNext.again)
    }
    // This process may have been paused: then another has sent it, too, and was perhaps not refused.
    const isOnlySending = (yield* Clock.currentTimeMillis) - beganMillis < limits.payoutResendAfterMillis
    if (!isOnlySending) return yield* refusedAgain(sent, heard.reason)
    yield* apply(sent, ({ refund, transaction }) =>
      decideRefundFailed(refund, transaction, { code: undefined, reason: heard.reason }, time),
    )
  })

  /** Sends a refund again that the acquirer never heard of. A refusal is believed only if asking confirms it. */
  const sendAgain = Effect.fnUntraced(function* (timer: DueTimer, found: RefundWithCharge, time: SellerTime) {
    const heard = yield* calls.send(found)
    if (heard.status !== "refused" && heard.status !== "failed") {
      yield* settle(found, heard, time)
      return
    }
    const told = yield* calls.query(found)
    if (isFinal(told)) yield* settle(found, told, time)
    else if (heard.status === "refused" && heard.isWithoutFunds === true && told.status === "unknown") {
      yield* alarmRefundWithoutFunds(nameOf(found.refund), heard.reason, withoutFundsNext.again)
      yield* timers.postpone(timer, withoutFundsDelayMillis(processingMillisOf(found.refund), time.nowMillis))
    } else yield* refusedAgain(found, heard.status === "refused" ? heard.reason : "it says it failed")
  })

  const poll: RefundWorker["poll"] = Effect.fnUntraced(function* (timer, known, time) {
    const found = known.status === "processing" ? yield* withCharge(known) : undefined
    if (found === undefined) return yield* timers.drop(timer)
    const { refund } = found
    const otherAccount = otherAccountReason(refund, acquirers)
    if (otherAccount !== undefined) return yield* waitForAccount(timer, otherAccount)
    const told = yield* calls.query(found)
    const isOverWithoutFunds = isRefundWithoutFunds(told)
    if (isFinal(told) && !isOverWithoutFunds) return yield* Effect.asVoid(settle(found, told, time))
    const sinceMillis = processingMillisOf(refund)
    yield* noteStuck(found, time)
    if (isOverWithoutFunds) {
      yield* timers.postpone(timer, withoutFundsDelayMillis(sinceMillis, time.nowMillis))
      return yield* Effect.asVoid(settle(found, told, time))
    }
    const isOver = time.nowMillis - sinceMillis >= limits.payoutResendAfterMillis
    const isToBeSent = told.status === "unknown" && isOver
    if (isToBeSent && (yield* waitWhileFrozen(timer, refund.mode))) return
    // Postponed first: sending again may end the refund, and its timers with it.
    const askAfterMillis = told.status === "processing" ? told.askAfterMillis : undefined
    const delayMillis = isToBeSent
      ? resendDelayMillis(sinceMillis, time.nowMillis)
      : (askAfterMillis ?? pollDelayMillis(sinceMillis, time.nowMillis))
    const postponed = yield* timers.postpone(timer, delayMillis)
    if (isToBeSent && postponed !== undefined) yield* sendAgain(postponed, found, time)
  })

  const reconcile: RefundWorker["reconcile"] = Effect.fnUntraced(function* (refundId, time) {
    const known = yield* store.load(refundId)
    const found = known === undefined ? undefined : yield* withCharge(known)
    if (found === undefined) return { kind: "missing" } as const
    const { refund } = found
    const isPending = refund.status === "pending"
    // An acquirer that keeps no books, as the simulator, knows nothing that we have not sent it.
    if (isPending && acquirers[refund.mode].books === undefined) return { kind: "pending" } as const
    if (!isPending && refund.status !== "processing") return { kind: "settled", note: undefined } as const
    const otherAccount = otherAccountReason(refund, acquirers)
    if (otherAccount !== undefined) {
      yield* Effect.logError(`${otherAccount}: the acquirer is not asked about it`)
      return { kind: "unavailable", reason: otherAccount } as const
    }
    const told = yield* calls.query(found)
    if (told.status === "silent") return { kind: "unavailable", reason: told.reason } as const
    if (!isFinal(told)) return { kind: "pending" } as const
    if (isRefundWithoutFunds(told)) {
      return { kind: "settled", note: withoutFundsNext.operator } as const
    }
    if (isPending) yield* warnOfUnsent(refund.id)
    const now = yield* settle(found, told, time)
    return now?.isContended === true
      ? ({ kind: "unavailable", reason: "others keep changing the refund or its charge" } as const)
      : ({ kind: "settled", note: undefined } as const)
  })

  return { send, poll, reconcile } satisfies RefundWorker
})
