import { ApiError } from "../../../schema/errors.ts"
import type { Acquirers } from "../../ports/acquirer.ts"
import type { StoredWithdrawal, WithdrawalTransition } from "../../ports/withdrawalStore.ts"
import { otherAccountReason } from "./acquirerAccount.ts"
import type { SellerTime } from "./sellerTime.ts"
import { decideTransition, notAllowed, readWithdrawal } from "./withdrawalTransitions.ts"

/** How an operator ends a withdrawal that operators pay themselves (docs/contract/withdrawals.md#paid-by-hand). */
export type ManualEnd =
  | { readonly act: "settle"; readonly endToEndId: string }
  /** Nothing was paid; `reason` is the `failure_reason`. */
  | { readonly act: "fail"; readonly reason: string }

type Payable = Pick<StoredWithdrawal, "id" | "mode" | "account">

/** Whether operators pay a withdrawal in the bank's own application: its account is the configured one, which has no payouts by API. */
export const isPaidByHand = (stored: Payable, acquirers: Acquirers["Service"]): boolean =>
  stored.mode === "live" &&
  acquirers.live.hasManualPayouts === true &&
  otherAccountReason(stored, acquirers) === undefined

/** 409 `invalid_state`, `details.reason` `not_manual`, of an act on a withdrawal that the service hands over itself. */
export const notPaidByHand = ({ id }: Pick<StoredWithdrawal, "id">): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    message: `Withdrawal '${id}' is not paid by hand: the service hands it to its acquirer, which says how it ends.`,
    details: { reason: "not_manual" },
  })

/** 409 `invalid_state` of a Pix that belongs to another charge, withdrawal or exception. */
export const endToEndIdClaimed = (stored: StoredWithdrawal, holder: string): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    param: "end_to_end_id",
    message: `Withdrawal '${stored.id}' cannot be settled by this Pix: it belongs to '${holder}'.`,
    details: { reason: "end_to_end_id_claimed", claimed_by: holder },
  })

/** 409 `invalid_state` of a Pix that the acquirer's list has with another amount, in centavos. */
export const otherAmountThere = (stored: StoredWithdrawal, amountThere: number): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    param: "end_to_end_id",
    message: `Withdrawal '${stored.id}' cannot be settled by this Pix: the bank's list has it with ${amountThere} centavos.`,
    details: { reason: "other_amount", amount_there: amountThere },
  })

/**
 * The transition that ends an approved withdrawal as an operator says; `same` where it has ended so already, and 409 `invalid_state` in
 * any other state.
 */
export const decideManualEnd = (
  stored: StoredWithdrawal,
  end: ManualEnd,
  time: SellerTime,
): WithdrawalTransition | "same" | ApiError<"invalid_state"> => {
  const { end_to_end_id } = readWithdrawal(stored)
  if (end.act === "settle") {
    if (stored.status === "successful" && end_to_end_id === end.endToEndId) return "same"
    const facts = { endToEndId: end.endToEndId, isOperators: true }
    const settled = stored.status === "approved" && decideTransition(stored, "successful", facts, time)
    return settled || notAllowed(stored, "can be settled only while it is approved")
  }
  if (stored.status === "failed") return "same"
  const facts = { failureReason: end.reason, isOperators: true }
  const failed = stored.status === "approved" && decideTransition(stored, "failed", facts, time)
  return failed || notAllowed(stored, "can fail only while it is approved")
}
