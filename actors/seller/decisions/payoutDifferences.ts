import type { EventType } from "../../../schema/events.ts"
import type { Withdrawal } from "../../../schema/resources/withdrawal.ts"
import type { PayoutReport } from "../../ports/acquirer.ts"
import type { NewException } from "../../ports/exceptionStore.ts"
import type { StoredWithdrawal, WithdrawalTransition } from "../../ports/withdrawalStore.ts"
import { type ExceptionResource, exceptionOfResource, type FoundException } from "./exceptionDocument.ts"
import { payoutDebited, payoutReturned } from "./movements.ts"
import { bookedPayout, goneOf, type PayoutMoney, settledAmount } from "./payoutBooks.ts"
import { type SellerTime, shownTime } from "./sellerTime.ts"
import { readWithdrawal } from "./withdrawalTransitions.ts"

const resourceOf = ({ id, sellerId, mode, account }: StoredWithdrawal): ExceptionResource => ({
  type: "withdrawal",
  id,
  sellerId,
  mode,
  account,
})

/** An exception of a withdrawal. */
export const exceptionOfPayout = (
  stored: StoredWithdrawal,
  found: FoundException,
  time: SellerTime,
): NewException => exceptionOfResource(found, resourceOf(stored), time.nowMillis)

/** What must happen because the acquirer says something else of a payout than we have. */
export type PayoutDifference =
  | { readonly kind: "none" }
  /** It was paid before we sent it, as after a restored backup: it is settled. */
  | { readonly kind: "paidEarlier" }
  /** It came back whole: it is credited. */
  | { readonly kind: "returned"; readonly transition: WithdrawalTransition }
  | { readonly kind: "exception"; readonly exception: NewException }

/** Books centavos of a withdrawal that came back; its status stays. */
export const decidePayoutReturned = (
  stored: StoredWithdrawal,
  amount: number,
  time: SellerTime,
): WithdrawalTransition => {
  const before = readWithdrawal(stored)
  const nowText = shownTime(time.nowMillis)
  const after: Withdrawal = {
    ...before,
    updated_at: nowText,
    returned_at: nowText,
    returned_amount: bookedPayout(before).back + amount,
  }
  return unchanged(stored, after, "withdrawal.returned", payoutReturned(before, amount))
}

/** What a debit leaves of a withdrawal in our books. */
export interface PayoutDebit {
  readonly after: PayoutMoney
  readonly fee: number
  readonly endToEndId: string | null
}

/**
 * Debits what the bank executed of a withdrawal beyond what our books have as gone: of one that had ended without money, of another
 * amount, or of one that was booked as back. Its status stays.
 */
export const decidePayoutDebited = (
  stored: StoredWithdrawal,
  { after, fee, endToEndId }: PayoutDebit,
  time: SellerTime,
): WithdrawalTransition => {
  const before = readWithdrawal(stored)
  const booked = bookedPayout(before)
  const debited: Withdrawal = {
    ...before,
    end_to_end_id: endToEndId ?? before.end_to_end_id,
    updated_at: shownTime(time.nowMillis),
    ...(after.back === booked.back ? {} : { returned_amount: after.back }),
    debited_amount: after.out - settledAmount(before),
  }
  const movement = payoutDebited(before, goneOf(after) - goneOf(booked), fee)
  return unchanged(stored, debited, "withdrawal.debited", movement)
}

const unchanged = (
  stored: StoredWithdrawal,
  after: Withdrawal,
  eventType: EventType,
  movement: WithdrawalTransition["movement"],
): WithdrawalTransition => ({
  withdrawal: stored,
  to: stored.status,
  document: JSON.stringify(after),
  eventType,
  movement,
  dayValueBack: 0,
  timers: [],
  timersDone: [],
})

type Said = Exclude<PayoutReport, { readonly status: "processing" | "unknown" }>

/** What the acquirer's books have of the payout of a withdrawal of `amount` centavos. */
const payoutThere = (said: Said, amount: number): PayoutMoney => {
  switch (said.status) {
    case "notPaid":
      return { out: 0, back: 0 }
    case "paid":
      return { out: amount, back: Math.min(said.returnedAmount ?? 0, amount) }
    case "otherAmount":
      return { out: said.amountThere, back: Math.min(said.returnedAmount, said.amountThere) }
  }
}

/** `amount`: centavos that the acquirer paid and our books lack. */
const contradicted = (
  stored: StoredWithdrawal,
  said: Said,
  { about, amount }: { readonly about: string; readonly amount: number },
  acquirer: string,
  time: SellerTime,
): PayoutDifference => {
  const there = payoutThere(said, readWithdrawal(stored).amount)
  const exception = exceptionOfPayout(
    stored,
    {
      kind: "payout_contradicted",
      about,
      acquirer,
      amount,
      details: {
        status: stored.status,
        status_there: said.status === "notPaid" ? "not_paid" : "paid",
        amount_there: there.out,
        end_to_end_id: said.status === "notPaid" ? null : (said.endToEndId ?? null),
        returned_amount: there.back,
      },
    },
    time,
  )
  return { kind: "exception", exception }
}

/** Books money that came back after it had left. The whole amount of a successful withdrawal is credited without an operator. */
const cameBack = (
  stored: StoredWithdrawal,
  said: Said,
  { back, left }: { readonly back: number; readonly left: number },
  acquirer: string,
  time: SellerTime,
): PayoutDifference => {
  const withdrawal = readWithdrawal(stored)
  const there = payoutThere(said, withdrawal.amount)
  const isWhole = there.back === there.out && there.out === bookedPayout(withdrawal).out
  if (said.status === "paid" && isWhole && stored.status === "successful") {
    return { kind: "returned", transition: decidePayoutReturned(stored, left, time) }
  }
  const isPaid = said.status !== "notPaid"
  // Once some of it was debited, the same may come back once more.
  const round = withdrawal.debited_amount === undefined ? "" : `:${stored.version}`
  const exception = exceptionOfPayout(
    stored,
    {
      kind: "payout_returned",
      acquirer,
      amount: left,
      about: `${stored.id}:${isPaid ? back : "not_paid"}${round}`,
      details: {
        status: stored.status,
        status_there: isPaid ? "paid" : "not_paid",
        returned_amount: back,
        end_to_end_id: withdrawal.end_to_end_id,
        ...(isPaid ? {} : { reason: said.reason }),
      },
    },
    time,
  )
  return { kind: "exception", exception }
}

/** Compares what is gone of a withdrawal's payout here and there; its money has left here. */
const decideGone = (
  stored: StoredWithdrawal,
  said: Said,
  acquirer: string,
  time: SellerTime,
): PayoutDifference => {
  const withdrawal = readWithdrawal(stored)
  const booked = bookedPayout(withdrawal)
  const back = booked.out - goneOf(payoutThere(said, withdrawal.amount))
  const left = back - booked.back
  if (left === 0) return { kind: "none" }
  if (left > 0) return cameBack(stored, said, { back, left }, acquirer, time)
  // The version tells it from the same difference before something was booked, and stays until something is.
  const about = `${stored.id}:${back}:${stored.version}`
  return contradicted(stored, said, { about, amount: -left }, acquirer, time)
}

/**
 * Compares a withdrawal with what the acquirer says of its payout. What it says while a withdrawal is processing, and fits, ends it
 * by `decidePayoutReport`; all else that differs is here.
 */
export const decidePayoutDifference = (
  stored: StoredWithdrawal,
  report: PayoutReport,
  acquirer: string,
  time: SellerTime,
): PayoutDifference => {
  if (report.status === "processing" || report.status === "unknown") return { kind: "none" }
  const withdrawal = readWithdrawal(stored)
  const isOther = report.status === "otherAmount"
  // Another amount is an operator's to debit first; from then on it counts as ours.
  const isComparable =
    bookedPayout(withdrawal).out > 0 && (!isOther || withdrawal.debited_amount !== undefined)
  if (isComparable) return decideGone(stored, report, acquirer, time)
  const amount = isOther ? report.amountThere : withdrawal.amount
  if (!isOther) {
    if (report.status === "notPaid" || stored.status === "processing") return { kind: "none" }
    if (stored.status === "awaiting" || stored.status === "approved") return { kind: "paidEarlier" }
  }
  return contradicted(stored, report, { about: stored.id, amount }, acquirer, time)
}

/** The exception of a withdrawal that has been processing for too long; undefined where it has not. */
export const decideStuck = (
  stored: StoredWithdrawal,
  payoutStuckMillis: number,
  acquirer: string,
  time: SellerTime,
): NewException | undefined => {
  const { amount, processing_at, updated_at } = readWithdrawal(stored)
  const since = processing_at ?? updated_at
  if (stored.status !== "processing" || time.nowMillis - Date.parse(since) <= payoutStuckMillis)
    return undefined
  const details = { status: stored.status, processing_at: since }
  return exceptionOfPayout(
    stored,
    { kind: "payout_stuck", about: stored.id, acquirer, amount, details },
    time,
  )
}
