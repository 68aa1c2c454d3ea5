import { Context, Effect, Layer } from "effect"
import { type SellerPage, SellerStore, type StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { isTaxDocument } from "../../../actors/seller/decisions/taxDocument.ts"
import { isListed, wordsOf } from "../../../actors/values/sellerLookups.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { isId } from "../../../schema/ids.ts"
import { stripDocument } from "../../../schema/resources/transaction.ts"
import { AccountSecrets } from "../accountSecrets.ts"
import { Users } from "../users/users.ts"
import { termOfDocument } from "./documentTerm.ts"

/** What an operator searches sellers for. */
export interface SellerQuery {
  readonly q: string
  readonly status: StoredSeller["status"] | undefined
  readonly kycStatus: StoredSeller["kycStatus"] | undefined
  /** `nextBeforeId` of the page before. */
  readonly after: string | undefined
  readonly limit: number
}

/** Finds sellers by their id, their owner's e-mail address, their document or words of their names (docs/contract/admin.md#sellers). */
export class SellerSearches extends Context.Service<
  SellerSearches,
  { readonly find: (query: SellerQuery) => Effect.Effect<SellerPage, StoreUnavailable> }
>()("corrente/accounts/SellerSearches") {}

const nobody: SellerPage = { sellers: [], nextBeforeId: undefined }

export const SellerSearchesLive = Layer.effect(
  SellerSearches,
  Effect.gen(function* () {
    const store = yield* SellerStore
    const users = yield* Users
    const secrets = yield* AccountSecrets

    const only = Effect.fnUntraced(function* (id: string | undefined, query: SellerQuery) {
      const seller = id === undefined || query.after !== undefined ? undefined : yield* store.get(id)
      if (seller === undefined || !isListed(seller, query)) return nobody
      return { sellers: [seller], nextBeforeId: undefined }
    })

    return SellerSearches.of({
      find: Effect.fnUntraced(function* (query) {
        const text = query.q.trim()
        if (isId("sel_", text)) return yield* only(text, query)
        if (text.includes("@")) return yield* only((yield* users.findByEmail(text))?.sellerId, query)
        const document = stripDocument(text)
        if (isTaxDocument(document)) {
          const term = termOfDocument(secrets, document)
          return yield* store.find({ ...query, by: { kind: "document", term } })
        }
        const words = wordsOf(text)
        return words.length === 0 ? nobody : yield* store.find({ ...query, by: { kind: "name", words } })
      }),
    })
  }),
)
