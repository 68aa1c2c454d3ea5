import type { SellerSettings, StoredSeller } from "../../ports/sellerStore.ts"

/** Settings that hold live money back: less of one, and more money leaves, or sooner. */
const holding = ["chargeFeeBps", "chargeFeeFixed", "withdrawalFee", "reserveBps", "reserveDays"] as const
/** Settings that let money out: more of one, and more leaves. */
const releasing = ["withdrawalDailyValue", "withdrawalDailyCount"] as const

const loosens = (before: SellerSettings, after: SellerSettings): boolean =>
  holding.some((name) => after[name] < before[name]) ||
  releasing.some((name) => after[name] > before[name]) ||
  (after.withdrawalAutoApproval && !before.withdrawalAutoApproval)

/** Until when a seller's withdrawals are locked by operators, as far as that is still to come. */
const lockOf = ({ payoutLockedUntilMillis = 0 }: StoredSeller, nowMillis: number): number =>
  Math.max(payoutLockedUntilMillis, nowMillis)

/**
 * Whether a change of a seller removes a control on live money, so that two operators have to agree to it
 * (docs/decisions/0069-two-operators.md). What only adds one does not.
 */
export const removesControl = (before: StoredSeller, after: StoredSeller, nowMillis: number): boolean =>
  loosens(before.settings, after.settings) ||
  lockOf(after, nowMillis) < lockOf(before, nowMillis) ||
  (after.status === "active" && before.status !== "active") ||
  (after.kycStatus === "approved" && before.kycStatus !== "approved")
