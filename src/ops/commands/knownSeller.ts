import { Effect } from "effect"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { isId } from "../../../schema/ids.ts"
import { unknownSeller } from "../../accounts/webhookSettings/endpoints.ts"

/** The seller with this id; fails with 404 `resource_not_found` if there is none. */
export const knownSeller = Effect.fnUntraced(function* (sellerId: string) {
  const sellers = yield* SellerStore
  const seller = isId("sel_", sellerId) ? yield* sellers.get(sellerId) : undefined
  return seller ?? (yield* unknownSeller(sellerId))
})
