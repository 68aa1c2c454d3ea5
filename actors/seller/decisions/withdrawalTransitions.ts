import { ApiError } from "../../../schema/errors.ts"
import { withdrawalEventType } from "../../../schema/events.ts"
import { limits } from "../../../schema/limits.ts"
import type { Withdrawal, WithdrawalStatus } from "../../../schema/resources/withdrawal.ts"
import type { PayoutReport } from "../../ports/acquirer.ts"
import type { LedgerMovement } from "../../ports/ledger.ts"
import type { StoredWithdrawal, WithdrawalTransition } from "../../ports/withdrawalStore.ts"
import { parseWithdrawal } from "../../values/storedDocuments.ts"
import type { Timer } from "../../values/timer.ts"
import { withdrawalReturned, withdrawalSettled } from "./movements.ts"
import { type SellerTime, shownTime, timerAt } from "./sellerTime.ts"

/**
 * The timers of a withdrawal: `decide` when test mode's simulated operator decides, `pay` when the payout worker sends it to the
 * acquirer, `poll` when the acquirer is asked about it.
 */
export const withdrawalTimers = { decide: "decide", pay: "pay", poll: "poll" } as const

/** All transitions (docs/contract/withdrawals.md#states). */
const allowed: Readonly<Record<WithdrawalStatus, ReadonlyArray<WithdrawalStatus>>> = {
  awaiting: ["approved", "rejected", "cancelled"],
  approved: ["processing"],
  processing: ["successful", "failed"],
  rejected: [],
  successful: [],
  failed: [],
  cancelled: [],
}

/** What only an operator may decide, about a withdrawal that its acquirer account can no longer be asked about. */
const allowedToOperators: Readonly<Partial<Record<WithdrawalStatus, ReadonlyArray<WithdrawalStatus>>>> = {
  approved: ["successful", "failed"],
}

/** The withdrawal as the seller sees it. */
export const readWithdrawal = (stored: StoredWithdrawal): Withdrawal => parseWithdrawal(stored.document)

/** The withdrawal after a transition, so that the next can be decided without reading it back. */
export const afterTransition = (
  stored: StoredWithdrawal,
  transition: WithdrawalTransition,
): StoredWithdrawal => ({
  ...stored,
  status: transition.to,
  version: stored.version + 1,
  document: transition.document,
})

/** 409 `invalid_state` of an act that the withdrawal's state does not allow. */
export const notAllowed = (stored: StoredWithdrawal, act: string): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    message: `Withdrawal '${stored.id}' is ${stored.status} and ${act}.`,
    details: { status: stored.status },
  })

const movementOf = (to: WithdrawalStatus, withdrawal: Withdrawal): LedgerMovement | undefined => {
  switch (to) {
    case "successful":
      return withdrawalSettled(withdrawal)
    case "rejected":
    case "failed":
    case "cancelled":
      return withdrawalReturned(withdrawal)
    default:
      return undefined
  }
}

/** The time field of a state, besides `updated_at`. */
const momentOf = (to: WithdrawalStatus, nowText: string): Partial<Withdrawal> => {
  switch (to) {
    case "approved":
      return { approved_at: nowText }
    case "processing":
      return { processing_at: nowText }
    default:
      return { completed_at: nowText }
  }
}

/** What a transition changes besides state and time. */
export interface WithdrawalFacts {
  readonly endToEndId?: string
  readonly failureReason?: string | undefined
  readonly timers?: ReadonlyArray<Timer>
  /** Whether an operator says so, by resolving an exception. */
  readonly isOperators?: boolean
}

/** The transition of a withdrawal to another state; undefined where its state does not allow that. */
export const decideTransition = (
  stored: StoredWithdrawal,
  to: WithdrawalStatus,
  facts: WithdrawalFacts,
  time: SellerTime,
): WithdrawalTransition | undefined => {
  const isAllowed =
    allowed[stored.status].includes(to) ||
    (facts.isOperators === true && allowedToOperators[stored.status]?.includes(to) === true)
  if (!isAllowed) return undefined
  const before = readWithdrawal(stored)
  const nowText = shownTime(time.nowMillis)
  const movement = movementOf(to, before)
  const after: Withdrawal = {
    ...before,
    status: to,
    end_to_end_id: facts.endToEndId ?? before.end_to_end_id,
    failure_reason: facts.failureReason ?? before.failure_reason,
    updated_at: nowText,
    ...momentOf(to, nowText),
  }
  const { decide, pay, poll } = withdrawalTimers
  return {
    withdrawal: stored,
    to,
    document: JSON.stringify(after),
    eventType: withdrawalEventType(to),
    movement,
    dayValueBack: movement?.kind === "withdrawal_returned" ? before.amount : 0,
    timers: facts.timers ?? [],
    timersDone: [decide, pay, poll],
  }
}

/** A transition that a seller in debt may not have (docs/contract/withdrawals.md#debts). */
const withoutDebt = (transition: WithdrawalTransition | undefined): WithdrawalTransition | undefined =>
  transition && { ...transition, availableMin: 0 }

/** Approves a withdrawal, which goes to the payout worker at once. */
export const decideApproved = (stored: StoredWithdrawal, time: SellerTime) =>
  withoutDebt(
    decideTransition(
      stored,
      "approved",
      { timers: [timerAt(time, withdrawalTimers.pay, stored.id, time.nowMillis)] },
      time,
    ),
  )

/** Takes a withdrawal to `processing` that the acquirer has already, whatever its seller owes by now. */
export const decideHandedOver = (stored: StoredWithdrawal, firstPollMillis: number, time: SellerTime) =>
  decideTransition(
    stored,
    "processing",
    { timers: [timerAt(time, withdrawalTimers.poll, stored.id, time.nowMillis + firstPollMillis)] },
    time,
  )

/** Hands a withdrawal to the acquirer, which is asked about it from now on (docs/architecture.md#rule-7). */
export const decideProcessing = (stored: StoredWithdrawal, firstPollMillis: number, time: SellerTime) =>
  withoutDebt(decideHandedOver(stored, firstPollMillis, time))

/** The end that an acquirer's report calls for; undefined while it does not know, and where the withdrawal has ended. */
export const decidePayoutReport = (
  stored: StoredWithdrawal,
  report: PayoutReport,
  time: SellerTime,
): WithdrawalTransition | undefined => {
  switch (report.status) {
    case "paid":
      return decideTransition(stored, "successful", { endToEndId: report.endToEndId }, time)
    case "notPaid":
      return decideTransition(stored, "failed", { failureReason: report.reason }, time)
    default:
      return undefined
  }
}

/** How long until a payout without funds is sent again: as long as it has been processing, 1 to 10 min. */
export const withoutFundsDelayMillis = (processingMillis: number, nowMillis: number): number =>
  Math.min(
    limits.payoutWithoutFundsMillisMax,
    Math.max(limits.payoutWithoutFundsMillisMin, nowMillis - processingMillis),
  )

/** How long until the next poll: 2 s, then twice as long each time, up to a minute (docs/contract/withdrawals.md#payout). */
export const pollDelayMillis = (processingMillis: number, nowMillis: number): number =>
  Math.min(limits.payoutPollMillisMax, Math.max(0, nowMillis - processingMillis) + limits.payoutPollMillisMin)

/**
 * How long until a payout or refund that the acquirer never heard of is asked about, and sent, again: as long as between polls, and ten
 * minutes once its first sending is an hour old.
 */
export const resendDelayMillis = (sentMillis: number, nowMillis: number): number =>
  nowMillis - sentMillis < limits.resendOftenMillis
    ? pollDelayMillis(sentMillis, nowMillis)
    : limits.resendMillisMin
