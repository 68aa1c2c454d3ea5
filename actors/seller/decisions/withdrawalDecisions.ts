import { ApiError } from "../../../schema/errors.ts"
import type { Mode } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { StoredPixKey } from "../../ports/pixKeyStore.ts"
import type { StoredSeller } from "../../ports/sellerStore.ts"
import type { StoredWithdrawal, WithdrawalPreconditions } from "../../ports/withdrawalStore.ts"
import { dayOf } from "../../values/saoPauloDays.ts"

/** The day a withdrawal counts in, `2026-11-21`, in America/Sao_Paulo (docs/contract/withdrawals.md#daily-limits). */
export const withdrawalDay = dayOf

/** A withdrawal that may be made. */
export interface AllowedWithdrawal {
  readonly pixKey: StoredPixKey
  readonly fee: number
  readonly total: number
  readonly isApproved: boolean
}

/** Until when a seller's withdrawals are locked, in ms; undefined where they are not locked. */
export const lockedUntil = (seller: StoredSeller, nowMillis: number): number | undefined => {
  const until = Math.max(seller.payoutLockedUntilMillis ?? 0, seller.recoveryLockedUntilMillis ?? 0)
  return until > nowMillis ? until : undefined
}

const accountRefusal = (
  seller: StoredSeller,
  mode: Mode,
  nowMillis: number,
): ApiError<"kyc_required" | "payout_locked" | "seller_not_allowed"> | undefined => {
  if (seller.status !== "active") {
    return new ApiError({
      code: "seller_not_allowed",
      message: "This account is not allowed to operate. Contact support.",
    })
  }
  if (mode === "live" && seller.kycStatus !== "approved") {
    return new ApiError({
      code: "kyc_required",
      message: "Live withdrawals need an approved identification. Send it by POST /v1/me/kyc.",
    })
  }
  const until = lockedUntil(seller, nowMillis)
  if (until === undefined) return undefined
  const untilText = new Date(until).toISOString()
  return new ApiError({
    code: "payout_locked",
    message: `Withdrawals of this account are locked until ${untilText}.`,
    details: { locked_until: untilText },
  })
}

/**
 * Why a seller in debt is not paid now: 409 `invalid_state`, `details.reason` is `balance_negative`
 * (docs/contract/withdrawals.md#debts). Undefined where it owes nothing. `available` is in centavos; `done` says what cannot be done.
 */
export const debtRefusal = (
  { id, sellerId }: Pick<StoredWithdrawal, "id" | "sellerId">,
  available: number,
  done: string,
): ApiError<"invalid_state"> | undefined =>
  available >= 0
    ? undefined
    : new ApiError({
        code: "invalid_state",
        message: `Withdrawal '${id}' cannot be ${done} now: the available balance of seller '${sellerId}' is ${available} centavos. It keeps waiting.`,
        details: { reason: "balance_negative", available },
      })

/**
 * Why a withdrawal may not be approved now: the seller is checked again as at the request, and may not be in debt
 * (docs/contract/withdrawals.md#approval). 409 `invalid_state`, whose `details.reason` is the code a request would get, or
 * `balance_negative`. Undefined where it may. `available` is in centavos.
 */
export const approvalRefusal = (
  seller: StoredSeller | undefined,
  stored: Pick<StoredWithdrawal, "id" | "mode" | "sellerId">,
  available: number,
  nowMillis: number,
): ApiError<"invalid_state"> | undefined => {
  const refused =
    seller === undefined
      ? new ApiError({ code: "seller_not_allowed", message: "The seller is not there." })
      : accountRefusal(seller, stored.mode, nowMillis)
  if (refused === undefined) return debtRefusal(stored, available, "approved")
  const whys: Readonly<Record<string, string>> = {
    kyc_required: "is not identified",
    payout_locked: "has its withdrawals locked",
  }
  return new ApiError({
    code: "invalid_state",
    message: `Withdrawal '${stored.id}' cannot be approved now: seller '${stored.sellerId}' ${whys[refused.code] ?? "is suspended"}. It keeps waiting.`,
    details: { reason: refused.code, ...refused.details },
  })
}

const balanceRefusal = (
  amount: number,
  fee: number,
  available: number,
): ApiError<"insufficient_balance"> | undefined => {
  const total = amount + fee
  const minimum = limits.withdrawalAmountMin
  if (amount >= minimum && available >= total) return undefined
  return new ApiError({
    code: "insufficient_balance",
    param: "amount",
    message:
      amount < minimum
        ? `The smallest withdrawal is ${minimum} centavos.`
        : `${total} centavos are needed (amount and fee), and ${available} are available.`,
    details: { available, amount, fee, total, minimum },
  })
}

const dayRefusal = (
  amount: number,
  { seller, day }: WithdrawalPreconditions,
): ApiError<"daily_limit_exceeded"> | undefined => {
  const { withdrawalDailyValue, withdrawalDailyCount } = seller.settings
  const refuse = (reason: string, what: string, limit: number, used: number) =>
    new ApiError({
      code: "daily_limit_exceeded",
      message: `This withdrawal would exceed the limit of ${limit} ${what} a day; ${used} of it are used. Days are America/Sao_Paulo's.`,
      details: { reason, limit, used },
    })
  if (day.value + amount > withdrawalDailyValue) {
    return refuse("daily_value_limit", "centavos", withdrawalDailyValue, day.value)
  }
  if (day.count + 1 > withdrawalDailyCount) {
    return refuse("daily_count_limit", "withdrawals", withdrawalDailyCount, day.count)
  }
  return undefined
}

/** Checks all preconditions in the order of docs/contract/withdrawals.md#preconditions; `nowMillis` is the true time. */
export const decideWithdrawal = (
  amount: number,
  mode: Mode,
  preconditions: WithdrawalPreconditions,
  nowMillis: number,
): AllowedWithdrawal | ApiError => {
  const { seller, pixKey, available, openWithdrawalId } = preconditions
  const refused = accountRefusal(seller, mode, nowMillis)
  if (refused !== undefined) return refused
  if (pixKey?.status !== "verified") {
    return new ApiError({
      code: "pix_key_not_verified",
      param: "pix_key_id",
      message: "This is none of your verified and active Pix keys. Use an id of GET /v1/pix-keys.",
    })
  }
  const fee = seller.settings.withdrawalFee
  const unaffordable = balanceRefusal(amount, fee, available) ?? dayRefusal(amount, preconditions)
  if (unaffordable !== undefined) return unaffordable
  if (openWithdrawalId !== undefined) {
    return new ApiError({
      code: "invalid_state",
      message: `Withdrawal '${openWithdrawalId}' is still in progress; one at a time. Wait for its end, or cancel it while it awaits approval.`,
      details: { reason: "withdrawal_in_progress", withdrawal_id: openWithdrawalId },
    })
  }
  return { pixKey, fee, total: amount + fee, isApproved: seller.settings.withdrawalAutoApproval }
}
