import { Effect } from "effect"
import { Acquirers } from "../../../actors/ports/acquirer.ts"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import { PixClaimStore } from "../../../actors/ports/pixClaimStore.ts"
import { PixKeyStore } from "../../../actors/ports/pixKeyStore.ts"
import { RefundStore } from "../../../actors/ports/refundStore.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import { parseException } from "../../../actors/values/storedDocuments.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { FoundByOperator, operatorSearchGroup } from "../../../schema/api/operatorSearch.ts"
import { isId, transactionIdOfTxid } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { SellerSearches } from "../../accounts/sellers/sellerSearch.ts"
import type { GroupHandlers } from "../server/request.ts"
import { endToEndIdPattern, outlineIn } from "./search.ts"

/** An object without its seller's name. */
type Found = Omit<FoundByOperator, "seller_name">

/** Makes the search over all sellers (`docs/contract/admin.md#search`). */
export const makeOperatorSearchHandlers = Effect.gen(function* () {
  const acquirers = yield* Acquirers
  const claims = yield* PixClaimStore
  const transactions = yield* TransactionStore
  const refunds = yield* RefundStore
  const withdrawals = yield* WithdrawalStore
  const exceptions = yield* ExceptionStore
  const pixKeys = yield* PixKeyStore
  const sellers = yield* SellerStore
  const searches = yield* SellerSearches

  /** A charge, refund or withdrawal as it is stored. */
  const outlined =
    (object: "transaction" | "refund" | "withdrawal") =>
    (stored: { readonly document: string; readonly sellerId: string } | undefined): Found | undefined =>
      stored && { ...outlineIn(object, stored.document), seller_id: stored.sellerId }

  const findById = (id: string): Effect.Effect<Found | undefined, StoreUnavailable> => {
    if (isId("txn_", id)) return Effect.map(transactions.load(id), outlined("transaction"))
    if (isId("rfd_", id)) return Effect.map(refunds.load(id), outlined("refund"))
    if (isId("wd_", id)) return Effect.map(withdrawals.load(id), outlined("withdrawal"))
    if (isId("exc_", id)) {
      return Effect.map(exceptions.load(id), (stored) => {
        if (stored === undefined) return undefined
        const { state: status, amount, created_at, seller_id } = parseException(stored.document)
        return { object: "exception", id, status, amount, created_at, seller_id }
      })
    }
    if (!isId("pk_", id)) return Effect.succeed(undefined)
    return Effect.map(pixKeys.load(id), (stored) => {
      if (stored === undefined) return undefined
      const { status, createdAt: created_at, sellerId: seller_id } = stored
      return { object: "pix_key", id, status, amount: null, created_at, seller_id }
    })
  }

  const findByEndToEndId = Effect.fnUntraced(function* (endToEndId: string) {
    const accounts = new Set([acquirers.live.account, acquirers.test.account])
    for (const account of accounts) {
      const [claimant] = yield* claims.findAll(account, [endToEndId])
      if (claimant !== undefined) return yield* findById(claimant)
    }
    return undefined
  })

  const findOne = (text: string) => {
    if (endToEndIdPattern.test(text)) return findByEndToEndId(text)
    return findById(transactionIdOfTxid(text) ?? text)
  }

  const findSellers = Effect.fnUntraced(function* (q: string) {
    const all = { status: undefined, kycStatus: undefined, after: undefined }
    const page = yield* searches.find({ q, ...all, limit: limits.searchResultsMax })
    return page.sellers.map(
      ({ id, name, status, createdAt }): FoundByOperator => ({
        object: "seller",
        ...{ id, status, amount: null, created_at: createdAt },
        ...{ seller_id: id, seller_name: name },
      }),
    )
  })

  const find = Effect.fnUntraced(function* (text: string) {
    const one = yield* findOne(text)
    if (one === undefined) return yield* findSellers(text)
    const seller = one.seller_id === null ? undefined : yield* sellers.get(one.seller_id)
    return [{ ...one, seller_name: seller?.name ?? null } satisfies FoundByOperator]
  })

  const handlers: GroupHandlers<typeof operatorSearchGroup> = {
    searchAsOperator: ({ query: { q } }) =>
      Effect.map(find(q.trim()), (data) => ({ status: 200, body: JSON.stringify({ data }) })),
  }
  return handlers
})
