import { Clock, Effect } from "effect"
import { lockWithoutSecondFactor } from "../../../actors/seller/decisions/sellerDecisions.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { ApiError } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { SellerChanges } from "../sellers/sellerChanges.ts"

/**
 * Locks the withdrawals of the seller of a user for 24 h, because its second factor is about to be turned off, or on late
 * (docs/decisions/0058-withdrawals-lock-without-second-factor.md), with `seller.payout_locked` in both feeds. Returns
 * the end of the lock in ms. Does nothing for a user without a seller.
 */
export const makeSecondFactorLock: Effect.Effect<
  (sellerId: string | undefined) => Effect.Effect<number, ApiError | StoreUnavailable>,
  never,
  SellerChanges
> = Effect.map(SellerChanges, (sellers) =>
  Effect.fnUntraced(function* (sellerId: string | undefined) {
    const untilMillis = (yield* Clock.currentTimeMillis) + limits.recoveryLockMillis
    if (sellerId !== undefined) yield* sellers.change(sellerId, lockWithoutSecondFactor(untilMillis))
    return untilMillis
  }),
)
