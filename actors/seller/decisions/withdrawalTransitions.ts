import { ApiError } from "../../../schema/errors.ts"
import { withdrawalEventType } from "../../../schema/events.ts"
import { limits } from "../../../schema/limits.ts"
import type { Withdrawal, WithdrawalStatus } from "../../../schema/resources/withdrawal.ts"
import type { PayoutReport } from "../../ports/acquirer.ts"
import type { LedgerMovement } from "../../ports/ledger.ts"
import type { Timer } from "../../ports/timer.ts"
import type { StoredWithdrawal, WithdrawalTransition } from "../../ports/withdrawalStore.ts"
import { withdrawalReturned, withdrawalSettled } from "./movements.ts"
import { type SellerTime, shownTime, timerAt } from "./sellerTime.ts"

/**
 * The timers of a withdrawal: `decide` when the simulated operator of test mode does, `pay` when the payout worker hands
 * it to the acquirer, `poll` when the acquirer is asked what became of it.
 */
export const withdrawalTimers = { decide: "decide", pay: "pay", poll: "poll" } as const

/** spec 3: these transitions and no others. */
const allowed: Readonly<Record<WithdrawalStatus, ReadonlyArray<WithdrawalStatus>>> = {
  awaiting: ["approved", "rejected", "cancelled"],
  approved: ["processing"],
  processing: ["successful", "failed"],
  rejected: [],
  successful: [],
  failed: [],
  cancelled: [],
}

/** The withdrawal as its seller sees it. */
export const readWithdrawal = (stored: StoredWithdrawal): Withdrawal => JSON.parse(stored.document)

/** What a transition left, so that the next one can be decided on it without reading it back. */
export const afterTransition = (
  stored: StoredWithdrawal,
  transition: WithdrawalTransition,
): StoredWithdrawal => ({
  ...stored,
  status: transition.to,
  version: stored.version + 1,
  document: transition.document,
})

/** 409 of an act that the withdrawal's state does not allow (spec 3). */
export const notAllowed = (stored: StoredWithdrawal, act: string): ApiError =>
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

/** When a state is reached, besides `updated_at`. */
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

/** What a transition adds besides its state and time. */
export interface WithdrawalFacts {
  readonly endToEndId?: string
  readonly failureReason?: string | undefined
  readonly timers?: ReadonlyArray<Timer>
}

/** The commit that takes a withdrawal to another state; undefined where its state does not allow that. */
export const decideTransition = (
  stored: StoredWithdrawal,
  to: WithdrawalStatus,
  facts: WithdrawalFacts,
  time: SellerTime,
): WithdrawalTransition | undefined => {
  if (!allowed[stored.status].includes(to)) return undefined
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

/** A withdrawal that was approved goes to the payout worker at once. */
export const decideApproved = (stored: StoredWithdrawal, time: SellerTime) =>
  decideTransition(
    stored,
    "approved",
    { timers: [timerAt(time, withdrawalTimers.pay, stored.id, time.nowMillis)] },
    time,
  )

/** A withdrawal that is handed to the acquirer: from now on it is asked what became of it (rule 7). */
export const decideProcessing = (stored: StoredWithdrawal, firstPollMillis: number, time: SellerTime) =>
  decideTransition(
    stored,
    "processing",
    { timers: [timerAt(time, withdrawalTimers.poll, stored.id, time.nowMillis + firstPollMillis)] },
    time,
  )

/** The end that the acquirer's word calls for; undefined while it does not know, and where it is told already. */
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

/** When to ask again: 2 s after the first time, then after twice as long each time, up to a minute (decisions 3). */
export const pollDelayMillis = (processingMillis: number, nowMillis: number): number =>
  Math.min(limits.payoutPollMillisMax, Math.max(0, nowMillis - processingMillis) + limits.payoutPollMillisMin)
