import { Effect } from "effect"
import { SellerStore, type StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { setBrand } from "../../../actors/seller/decisions/sellerDecisions.ts"
import type { sellerGroup } from "../../../schema/api/account.ts"
import { transactionFilters } from "../../../schema/api/transactions.ts"
import { ApiError, validationFailed } from "../../../schema/errors.ts"
import type { Brand } from "../../../schema/resources/brand.ts"
import type { SavedViews } from "../../../schema/resources/savedViews.ts"
import type { SellerProfile } from "../../../schema/resources/seller.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import { Counters } from "../../accounts/sellers/counters.ts"
import { ofOwnSeller, SellerChanges } from "../../accounts/sellers/sellerChanges.ts"
import { Users } from "../../accounts/users/users.ts"
import { Logos } from "../../payments/logos/logos.ts"
import { filterTexts } from "../contract/filterTexts.ts"
import type { JsonReply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"

const json = (value: SellerProfile | Brand | SavedViews): JsonReply => ({
  status: 200,
  body: JSON.stringify(value),
})

const brandOf = (seller: StoredSeller | undefined): Brand => ({
  logo: seller?.brandLogo ?? null,
  color: seller?.brandColor ?? null,
  payer_name: seller?.payerName ?? null,
})

const chargeFilters = filterTexts(transactionFilters)

/** Why views cannot be saved: 400 `validation_failed` at what is wrong of the first wrong one. */
const refusalOfViews = ({ data }: SavedViews): ApiError<"validation_failed"> | undefined => {
  for (const [index, { name, query, period }] of data.entries()) {
    const at = `data.${index}`
    if (data.findIndex((other) => other.name === name) < index) {
      return validationFailed(`${at}.name`, "Another view has this name.")
    }
    if (period !== null && (query.from ?? query.to) !== undefined) {
      return validationFailed(`${at}.period`, "A view has a period, or from and to, and not both.")
    }
    const filters = chargeFilters(`${at}.query`, query)
    if (filters instanceof ApiError) return filters
  }
  return undefined
}

/** Routes of the seller behind a session. */
export const makeSellerHandlers = Effect.gen(function* () {
  const sellers = yield* SellerChanges
  const counters = yield* Counters
  const store = yield* SellerStore
  const logos = yield* Logos
  const audit = yield* SellerAudit
  const users = yield* Users

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
      const logo = payload.logo === null ? null : yield* logos.rewrite(payload.logo)
      const color = payload.color?.toLowerCase() ?? null
      const payerName = payload.payer_name?.normalize("NFC") ?? payload.payer_name
      const name = payerName === undefined ? {} : { payer_name: payerName }
      yield* audit.does(
        principal,
        {
          action: "seller.brand_changed",
          resourceType: "seller",
          details: { has_logo: logo !== null, color, ...name },
        },
        ofOwnSeller(sellers.change(principal.sellerId, setBrand({ logo, color, ...name }))),
      )
      return json(brandOf(yield* store.get(principal.sellerId)))
    }),

    getSavedViews: ({ session }) => Effect.map(users.savedViews(session.userId), json),

    putSavedViews: Effect.fnUntraced(function* ({ payload, session }) {
      const refused = refusalOfViews(payload)
      if (refused !== undefined) return yield* refused
      yield* users.saveViews(session.userId, payload)
      return json(payload)
    }),

    getCounters: ({ principal }) => Effect.map(counters.of(principal), (body) => ({ status: 200, body })),
  }
  return handlers
})
