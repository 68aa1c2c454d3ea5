import { ApiError } from "../../../schema/errors.ts"
import { refundEventType } from "../../../schema/events.ts"
import { acquirerRefundIdOf, timeOfId } from "../../../schema/ids.ts"
import { isRefundOver, type Refund, type RefundStatus } from "../../../schema/resources/refund.ts"
import type { RefundReport } from "../../ports/acquirer.ts"
import type { RefundedCharge, RefundTransition, StoredRefund } from "../../ports/refundStore.ts"
import type { StoredTransaction } from "../../ports/transactionStore.ts"
import { refundTimers } from "../../values/refundTimers.ts"
import { parseRefund } from "../../values/storedDocuments.ts"
import type { Timer } from "../../values/timer.ts"
import { returnEventType, withReturn } from "./chargeReturns.ts"
import { simulatedReturnId } from "./endToEndId.ts"
import { heldReserve, refundReturned, refundSettled } from "./movements.ts"
import { type SellerTime, shownTime, timerAt } from "./sellerTime.ts"
import { readCharge, timerNames } from "./transactionTransitions.ts"

/** All transitions (docs/contract/refunds.md#states). */
const allowed: Readonly<Record<RefundStatus, ReadonlyArray<RefundStatus>>> = {
  pending: ["processing"],
  processing: ["succeeded", "failed"],
  succeeded: [],
  failed: [],
}

/**
 * What may become of a refund that was never sent, as far as we know: an operator decides it where its acquirer account can no longer be
 * asked, or the acquirer has ended it, as after a restored backup.
 */
const allowedUnsent: Readonly<Partial<Record<RefundStatus, ReadonlyArray<RefundStatus>>>> = {
  pending: ["succeeded", "failed"],
}

/** The refund as the seller sees it. */
export const readRefund = (stored: StoredRefund): Refund => parseRefund(stored.document)

/** Since when a refund is processing, in ms: nothing else changes it meanwhile. */
export const processingMillisOf = (stored: StoredRefund): number => Date.parse(readRefund(stored).updated_at)

/** The refund after a transition, so that the next can be decided without reading it back. */
export const afterRefundTransition = (stored: StoredRefund, transition: RefundTransition): StoredRefund => ({
  ...stored,
  status: transition.to,
  version: stored.version + 1,
  document: transition.document,
})

/** What a transition changes besides state and time. */
interface Effects {
  readonly facts?: Partial<Refund>
  readonly movement?: RefundTransition["movement"]
  readonly charge?: RefundedCharge
  readonly timers?: ReadonlyArray<Timer>
}

/** The transition of a refund to another state; undefined where its state does not allow that. */
const transitionOf = (
  stored: StoredRefund,
  to: RefundStatus,
  effects: (refund: Refund) => Effects,
  time: SellerTime,
  mayBeUnsent = false,
): RefundTransition | undefined => {
  const isAllowed =
    allowed[stored.status].includes(to) ||
    (mayBeUnsent && allowedUnsent[stored.status]?.includes(to) === true)
  if (!isAllowed) return undefined
  const refund = readRefund(stored)
  const { facts, movement, charge, timers = [] } = effects(refund)
  const nowText = shownTime(time.nowMillis)
  const after: Refund = {
    ...refund,
    status: to,
    ...facts,
    updated_at: nowText,
    completed_at: to === "processing" ? null : nowText,
  }
  return {
    refund: stored,
    to,
    document: JSON.stringify(after),
    eventType: refundEventType(to),
    movement,
    charge,
    timers,
    timersDone: Object.values(refundTimers),
  }
}

/** Hands a refund to the acquirer, which is asked about it from `pollMillis` of the seller's time on. */
export const decideRefundProcessing = (
  stored: StoredRefund,
  pollMillis: number,
  time: SellerTime,
): RefundTransition | undefined =>
  transitionOf(
    stored,
    "processing",
    () => ({ timers: [timerAt(time, refundTimers.poll, stored.id, pollMillis)] }),
    time,
  )

/** What a refund's success changes of its charge: the money has gone back, which may have been the rest of it. */
const chargeAfterSuccess = (
  transaction: StoredTransaction,
  { id, amount }: Refund,
  returnId: string | null,
  time: SellerTime,
): RefundedCharge => {
  const nowText = shownTime(time.nowMillis)
  const entry = { id, kind: "refund", amount, return_id: returnId, created_at: nowText } as const
  const returned = withReturn(readCharge(transaction), entry)
  const { reserve, status, postback_url } = returned
  // No money of a charge that went back whole can come back to its reserve.
  const isReserveGone =
    status !== "paid" && reserve !== null && reserve.released_at === null && reserve.amount === 0
  const after = isReserveGone ? { ...returned, reserve: { ...reserve, released_at: nowText } } : returned
  return {
    transaction,
    to: status,
    document: JSON.stringify(after),
    refundingChange: -amount,
    eventType: returnEventType(transaction.status, status),
    customer: { paid: 0, refunded: amount },
    postback: postback_url === null ? undefined : { url: postback_url },
    timers: [],
    timersDone: isReserveGone ? [timerNames.release] : [],
  }
}

/** The centavos of a failed refund that go back to the charge's reserve; the others go to `available`. */
const backToReserve = (stored: StoredRefund, transaction: StoredTransaction, nowMillis: number): number => {
  const { reserve } = readCharge(transaction)
  const isKept =
    transaction.status === "paid" && reserve !== null && Date.parse(reserve.release_at) > nowMillis
  return isKept ? stored.heldFromReserve : 0
}

/** Gives a failed refund's money back to its charge, and to the charge's reserve. */
const chargeAfterFailure = (
  transaction: StoredTransaction,
  amount: number,
  toReserve: number,
  time: SellerTime,
): RefundedCharge => {
  const charge = readCharge(transaction)
  const { reserve } = charge
  const unchanged = {
    transaction,
    to: transaction.status,
    document: transaction.document,
    refundingChange: -amount,
    eventType: undefined,
    postback: undefined,
    timers: [],
    timersDone: [],
  }
  if (reserve === null || toReserve === 0) return unchanged
  // A return at the acquirer may have taken the rest of the reserve meanwhile, and its timer with it.
  const restored = { ...reserve, amount: heldReserve(charge) + toReserve, released_at: null }
  return {
    ...unchanged,
    document: JSON.stringify({ ...charge, reserve: restored }),
    timers: [timerAt(time, timerNames.release, transaction.id, Date.parse(reserve.release_at))],
  }
}

/** Decides that a refund has succeeded; undefined where its state does not allow that. `mayBeUnsent`: whoever says so knows more than we do. */
export const decideRefundSucceeded = (
  stored: StoredRefund,
  transaction: StoredTransaction,
  returnId: string | undefined,
  time: SellerTime,
  mayBeUnsent = false,
): RefundTransition | undefined =>
  transitionOf(
    stored,
    "succeeded",
    (refund) => ({
      facts: { return_id: returnId ?? null },
      movement: refundSettled(refund),
      charge: chargeAfterSuccess(transaction, refund, returnId ?? null, time),
    }),
    time,
    mayBeUnsent,
  )

/** Why a refund failed, as far as anybody said. */
export interface RefundFailure {
  readonly code: string | undefined
  readonly reason: string | undefined
}

/** Decides that a refund has failed; undefined where its state does not allow that. `mayBeUnsent`: whoever says so knows more than we do. */
export const decideRefundFailed = (
  stored: StoredRefund,
  transaction: StoredTransaction,
  { code, reason }: RefundFailure,
  time: SellerTime,
  mayBeUnsent = false,
): RefundTransition | undefined =>
  transitionOf(
    stored,
    "failed",
    (refund) => {
      const toReserve = backToReserve(stored, transaction, time.nowMillis)
      return {
        facts: { failure_code: code ?? null, failure_reason: reason ?? null },
        movement: refundReturned(refund, toReserve, readCharge(transaction)),
        charge: chargeAfterFailure(transaction, refund.amount, toReserve, time),
      }
    },
    time,
    mayBeUnsent,
  )

/** The code of a return that would exceed what the payer paid (ISO 20022). */
const amountExceeded = "AM09"

/**
 * Whether a refund in test mode finds nothing to give back any more: a simulated return, which takes no hold, was quicker. Nobody
 * but us knows, since the simulated bank keeps no books; in live the acquirer's word stands.
 */
const isOvertaken = (stored: StoredRefund, transaction: StoredTransaction): boolean => {
  const charge = readCharge(transaction)
  return stored.mode === "test" && charge.refunded_amount + readRefund(stored).amount > charge.amount
}

/**
 * The end that an acquirer's report calls for; undefined while it does not know, where our own account lacked the money, and where the
 * refund has ended.
 */
export const decideRefundReport = (
  stored: StoredRefund,
  transaction: StoredTransaction,
  report: RefundReport,
  time: SellerTime,
): RefundTransition | undefined => {
  switch (report.status) {
    case "done": {
      if (!isOvertaken(stored, transaction)) {
        return decideRefundSucceeded(stored, transaction, report.returnId, time, true)
      }
      const reason = "the charge went back to its payer by another way meanwhile"
      return decideRefundFailed(stored, transaction, { code: amountExceeded, reason }, time, true)
    }
    case "failed": {
      // Not the seller's failure: it waits for an operator.
      if (report.isWithoutFunds === true) return undefined
      const { failureCode, failureReason } = report
      return decideRefundFailed(stored, transaction, { code: failureCode, reason: failureReason }, time, true)
    }
    default:
      return undefined
  }
}

/** What the test control plane says in place of the bank. */
export type RefundAct = "succeed" | "fail"

/** Decides what the test control plane asked for; undefined where the refund's state or its charge does not allow it. */
export const decideRefundAct = (
  stored: StoredRefund,
  transaction: StoredTransaction,
  act: RefundAct,
  time: SellerTime,
): RefundTransition | undefined => {
  if (act === "fail") {
    return decideRefundFailed(stored, transaction, { code: undefined, reason: "test_control" }, time)
  }
  if (isOvertaken(stored, transaction)) return undefined
  const returnId = simulatedReturnId(timeOfId(stored.id), acquirerRefundIdOf(stored.id))
  return decideRefundSucceeded(stored, transaction, returnId, time)
}

/** 409 `invalid_state` of an act that the refund's state, or what is left of its charge, does not allow. */
export const refundActNotAllowed = (
  { id, status }: StoredRefund,
  act: RefundAct,
): ApiError<"invalid_state"> => {
  const why = isRefundOver(status)
    ? `is ${status} and can ${act} only until it has ended`
    : "has nothing left to give back: its charge went back to its payer by another way"
  return new ApiError({
    code: "invalid_state",
    message: `Refund '${id}' ${why}.`,
    details: { status },
  })
}
