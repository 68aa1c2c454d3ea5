import { Context, Effect, Layer } from "effect"
import { type SellerPage, SellerStore, type StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { isTaxDocument } from "../../../actors/seller/decisions/taxDocument.ts"
import { isListed, type SellerTerm, wordsOf } from "../../../actors/values/sellerLookups.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { isId } from "../../../schema/ids.ts"
import { stripDocument } from "../../../schema/resources/transaction.ts"
import { AccountSecrets } from "../accountSecrets.ts"
import { Users } from "../users/users.ts"
import { termsOfDocument } from "./documentTerm.ts"

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

    /**
     * Of the terms of all keys: while documents are encrypted anew, some sellers are found by the older. A page ends with its term,
     * and the next one begins where it ended.
     */
    const byDocument = Effect.fnUntraced(function* (terms: ReadonlyArray<SellerTerm>, query: SellerQuery) {
      const { after, limit } = query
      const sellers: Array<StoredSeller> = []
      const first = terms.findIndex((term) => after?.startsWith(`${term} `))
      for (const [i, term] of terms.entries()) {
        if (i < first) continue
        const rest = limit - sellers.length
        if (rest === 0) return { sellers, nextBeforeId: `${term} ` }
        const from = i === first ? after : undefined
        const page = yield* store.find({
          ...query,
          ...{ after: from, limit: rest, by: { kind: "document", term } as const },
        })
        sellers.push(...page.sellers)
        if (page.nextBeforeId !== undefined) return { sellers, nextBeforeId: page.nextBeforeId }
      }
      return { sellers, nextBeforeId: undefined }
    })

    return SellerSearches.of({
      find: Effect.fnUntraced(function* (query) {
        const text = query.q.trim()
        if (isId("sel_", text)) return yield* only(text, query)
        if (text.includes("@")) return yield* only((yield* users.findByEmail(text))?.sellerId, query)
        const document = stripDocument(text)
        if (isTaxDocument(document)) {
          return yield* byDocument(termsOfDocument(secrets, document), query)
        }
        const words = wordsOf(text)
        return words.length === 0 ? nobody : yield* store.find({ ...query, by: { kind: "name", words } })
      }),
    })
  }),
)
