import { Effect } from "effect"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"

/** 403 `seller_not_allowed`: a suspended seller gets no new way to act, to be paid, or to send data anywhere. */
export const sellerSuspended = (): ApiError<"seller_not_allowed"> =>
  new ApiError({
    code: "seller_not_allowed",
    message: "This seller is suspended: it can remove keys and destinations, but add none. Contact support.",
  })

/** Makes the check that a seller may add destinations: fails with 403 `seller_not_allowed` if it is suspended. */
export const makeRequireActive: Effect.Effect<
  (sellerId: string) => Effect.Effect<void, ApiError<"seller_not_allowed"> | StoreUnavailable>,
  never,
  SellerStore
> = Effect.map(SellerStore, (store) =>
  Effect.fnUntraced(function* (sellerId: string) {
    const seller = yield* store.get(sellerId)
    if (seller !== undefined && seller.status !== "active") return yield* sellerSuspended()
  }),
)
