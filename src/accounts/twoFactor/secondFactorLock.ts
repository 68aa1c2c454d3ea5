import { Clock, Effect } from "effect"
import type { StoreUnavailable } from "../../../actors/ports/store.ts"
import { lockWithoutSecondFactor } from "../../../actors/seller/decisions/sellerDecisions.ts"
import type { ApiError } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { SellerChanges } from "../sellers/sellerChanges.ts"

/**
 * Locks the withdrawals of a user's seller for 24 h, because its second factor is about to be turned off, and tells both
 * feeds (`seller.payout_locked`); answers until when, in ms. A user without a seller has nothing to lock.
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
