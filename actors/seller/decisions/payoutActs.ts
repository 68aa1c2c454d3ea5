import type { ApiError } from "../../../schema/errors.ts"
import { isWithdrawalOver } from "../../../schema/resources/withdrawal.ts"
import type { StoredException } from "../../ports/exceptionStore.ts"
import type { StoredWithdrawal, WithdrawalTransition } from "../../ports/withdrawalStore.ts"
import { exceptionRefused } from "./exceptionActs.ts"
import { readException } from "./exceptionDocument.ts"
import { bookedPayout, goneOf } from "./payoutBooks.ts"
import { decidePayoutDebited, decidePayoutReturned } from "./payoutDifferences.ts"
import type { SellerTime } from "./sellerTime.ts"
import { readWithdrawal } from "./withdrawalTransitions.ts"

const nothingLeft = (stored: StoredException, why: string): ApiError<"invalid_state"> =>
  exceptionRefused(stored, why, { reason: "nothing_left" })

/** A number of an exception's details. */
const numberOf = (value: unknown, otherwise: number): number =>
  typeof value === "number" ? value : otherwise

/**
 * Debits what the bank paid for a withdrawal and our books lack. If the withdrawal ended without money, that is its amount and fee. If
 * its money has left, that is what left the bank beyond our books, without another fee. 409 where nothing is left to debit; undefined
 * where the withdrawal has not ended.
 */
export const decideDebit = (
  stored: StoredException,
  withdrawal: StoredWithdrawal,
  time: SellerTime,
): WithdrawalTransition | ApiError<"invalid_state"> | undefined => {
  if (!isWithdrawalOver(withdrawal.status)) return undefined
  const { amount, details } = readException(stored)
  const endToEndId = typeof details.end_to_end_id === "string" ? details.end_to_end_id : null
  const before = readWithdrawal(withdrawal)
  const booked = bookedPayout(before)
  const there = { out: numberOf(details.amount_there, amount), back: numberOf(details.returned_amount, 0) }
  if (booked.out === 0) {
    // What has come back of it is a payout_returned of its own.
    const after = { out: there.out, back: 0 }
    return decidePayoutDebited(withdrawal, { after, fee: before.fee, endToEndId }, time)
  }
  const out = Math.max(booked.out, there.out)
  const after = { out, back: Math.min(booked.back, out - goneOf(there)) }
  if (goneOf(after) <= goneOf(booked)) {
    return nothingLeft(stored, "has nothing to debit: the bank paid no more than our books have")
  }
  return decidePayoutDebited(withdrawal, { after, fee: 0, endToEndId }, time)
}

/** Credits what came back of a withdrawal and is not booked yet; 409 where that is nothing. */
export const decideReturn = (
  stored: StoredException,
  withdrawal: StoredWithdrawal,
  time: SellerTime,
): WithdrawalTransition | ApiError<"invalid_state"> => {
  const { returned_amount: returned } = readException(stored).details
  const left = Number(returned) - bookedPayout(readWithdrawal(withdrawal)).back
  if (!(left > 0)) return nothingLeft(stored, "has nothing to return: all that came back is booked")
  return decidePayoutReturned(withdrawal, left, time)
}
