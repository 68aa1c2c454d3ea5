import { Effect } from "effect"
import { SellerStore, type StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { setBrand } from "../../../actors/seller/decisions/sellerDecisions.ts"
import type { sellerGroup } from "../../../schema/api/account.ts"
import type { Brand } from "../../../schema/resources/brand.ts"
import type { SellerProfile } from "../../../schema/resources/seller.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import { Counters } from "../../accounts/sellers/counters.ts"
import { ofOwnSeller, SellerChanges } from "../../accounts/sellers/sellerChanges.ts"
import type { JsonReply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"

const json = (value: SellerProfile | Brand): JsonReply => ({ status: 200, body: JSON.stringify(value) })

const brandOf = (seller: StoredSeller | undefined): Brand => ({
  logo: seller?.brandLogo ?? null,
  color: seller?.brandColor ?? null,
})

/** Routes of the seller behind a session. */
export const makeSellerHandlers = Effect.gen(function* () {
  const sellers = yield* SellerChanges
  const counters = yield* Counters
  const store = yield* SellerStore
  const audit = yield* SellerAudit

  const handlers: GroupHandlers<typeof sellerGroup> = {
    getSeller: ({ principal }) => Effect.map(ofOwnSeller(sellers.profile(principal.sellerId)), json),

    patchSeller: ({ principal, payload }) =>
      Effect.map(
        audit.does(
          principal,
          {
            action: "seller.profile_changed",
            resourceType: "seller",
            details: { fields: Object.keys(payload) },
          },
          ofOwnSeller(sellers.patchProfile(principal.sellerId, payload)),
        ),
        json,
      ),

    submitKyc: ({ principal, payload }) => {
      const { document, legal_name: legalName } = payload
      const submitted = audit.does(
        principal,
        { action: "seller.kyc_submitted", resourceType: "seller" },
        ofOwnSeller(sellers.submitKyc(principal.sellerId, { document, legalName })),
      )
      return Effect.map(submitted, json)
    },

    getBrand: Effect.fnUntraced(function* ({ principal }) {
      return json(brandOf(yield* store.get(principal.sellerId)))
    }),

    putBrand: Effect.fnUntraced(function* ({ principal, payload }) {
      const brand: Brand = { ...payload, color: payload.color?.toLowerCase() ?? null }
      yield* audit.does(
        principal,
        {
          action: "seller.brand_changed",
          resourceType: "seller",
          details: { has_logo: brand.logo !== null, color: payload.color },
        },
        ofOwnSeller(sellers.change(principal.sellerId, setBrand(brand))),
      )
      return json(brand)
    }),

    getCounters: ({ principal }) => Effect.map(counters.of(principal), (body) => ({ status: 200, body })),
  }
  return handlers
})
