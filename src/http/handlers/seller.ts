import { Effect } from "effect"
import type { sellerGroup } from "../../../schema/api/account.ts"
import type { SellerProfile } from "../../../schema/resources/seller.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import { Counters } from "../../accounts/sellers/counters.ts"
import { ofOwnSeller, SellerChanges } from "../../accounts/sellers/sellerChanges.ts"
import type { JsonReply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"

const shown = (profile: SellerProfile): JsonReply => ({ status: 200, body: JSON.stringify(profile) })

/** Routes of the seller behind a session. */
export const makeSellerHandlers = Effect.gen(function* () {
  const sellers = yield* SellerChanges
  const counters = yield* Counters
  const audit = yield* SellerAudit

  const handlers: GroupHandlers<typeof sellerGroup> = {
    getSeller: ({ principal }) => Effect.map(ofOwnSeller(sellers.profile(principal.sellerId)), shown),

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
        shown,
      ),

    submitKyc: ({ principal, payload }) => {
      const { document, legal_name: legalName } = payload
      const submitted = audit.does(
        principal,
        { action: "seller.kyc_submitted", resourceType: "seller" },
        ofOwnSeller(sellers.submitKyc(principal.sellerId, { document, legalName })),
      )
      return Effect.map(submitted, shown)
    },

    getCounters: ({ principal }) => Effect.map(counters.of(principal), (body) => ({ status: 200, body })),
  }
  return handlers
})
