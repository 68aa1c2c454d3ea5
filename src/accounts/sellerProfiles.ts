import { Effect, Layer } from "effect"
import { SellerProfiles } from "../../actors/ports/sellerProfiles.ts"
import { SellerStore, type StoredSeller } from "../../actors/ports/sellerStore.ts"
import { StoreUnavailable } from "../../actors/ports/store.ts"

/** The seller profile as events carry it (decisions 4); a document, once there is one, only masked (spec 6). */
export const sellerProfile = (seller: StoredSeller) => ({
  id: seller.id,
  object: "seller",
  name: seller.name,
  document: null,
  status: seller.status,
  kyc_status: seller.kycStatus,
  payout_locked_until: null,
  settings: {
    charge_fee_bps: seller.settings.chargeFeeBps,
    charge_fee_fixed: seller.settings.chargeFeeFixed,
  },
  created_at: seller.createdAt,
})

export const SellerProfilesLive = Layer.effect(
  SellerProfiles,
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    return SellerProfiles.of({
      disablingEvent: (sellerId) =>
        Effect.flatMap(sellers.get(sellerId), (seller) =>
          seller === undefined
            ? Effect.fail(
                new StoreUnavailable({ operation: "disable endpoint", reason: `no seller ${sellerId}` }),
              )
            : Effect.succeed({
                type: "seller.webhook_endpoint_disabled",
                data: JSON.stringify(sellerProfile(seller)),
              }),
        ),
    })
  }),
)
