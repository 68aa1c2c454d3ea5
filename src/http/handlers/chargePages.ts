import { Effect } from "effect"
import type { CustomerStore } from "../../../actors/ports/customerStore.ts"
import type { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import type { StoredTransaction, TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { placesOf, type SearchWord, searchWordsOf } from "../../../actors/values/chargeSearch.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { parseCharge } from "../../../actors/values/storedDocuments.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { ApiError } from "../../../schema/errors.ts"
import { customerDigestOf, timeOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import {
  type Transaction,
  type TransactionStatus,
  transactionStatuses,
} from "../../../schema/resources/transaction.ts"
import type { TransactionSums, TransactionTotals } from "../../../schema/resources/transactionTotals.ts"
import { type ChargeFilters, chargeMatcher } from "../../payments/chargeFilters.ts"
import { keyRevoked, windowOf } from "./page.ts"

/** Which charges are asked for. */
export interface ChargeQuery extends ChargeFilters {
  readonly q?: string
  readonly status?: TransactionStatus
  readonly from?: string
  readonly to?: string
  readonly customer_id?: string
}

/** A page of charges, newest first; `next` is the id after which the following one begins, if there may be one. */
export interface ChargePage {
  readonly found: ReadonlyArray<StoredTransaction>
  readonly next: string | undefined
}

/** How a walk through charges goes: where it begins, how many charges it looks at, and how many at first. */
interface Walk {
  readonly beforeId: string | undefined
  readonly lookedMax: number
  readonly firstStep: number
}

const noSums = (): { -readonly [Name in keyof TransactionSums]: number } => ({
  count: 0,
  amount: 0,
  gross: 0,
  fees: 0,
  refunded: 0,
  net: 0,
})

const addCharge = (sums: ReturnType<typeof noSums>, document: string): void => {
  const { amount, fee, paid_at, refunded_amount } = parseCharge(document)
  const [gross, fees] = paid_at === null ? [0, 0] : [amount, fee]
  sums.count += 1
  sums.amount += amount
  sums.gross += gross
  sums.fees += fees
  sums.refunded += refunded_amount
  sums.net += gross - fees - refunded_amount
}

/** Some charges, newest first; `next` is the id after which there may be more. */
interface Charges {
  readonly charges: ReadonlyArray<StoredTransaction>
  readonly next: string | undefined
}

/** Reads at most `count` charges before one. */
export type ReadCharges = (
  beforeId: string | undefined,
  count: number,
) => Effect.Effect<Charges, ApiError<"invalid_api_key"> | StoreUnavailable>

/** Makes the function that opens the document of a charge's customer. */
export const documentOpener =
  (open: SecretOpener["Service"]["open"]) =>
  ({ id, customer }: Transaction): string | undefined =>
    open(customer.document, sealedPlaces.customerDocument(id))

/** Makes the functions that read, and add up, a seller's charges that a query asks for. */
export const makeChargePages = (
  store: TransactionStore["Service"],
  customers: CustomerStore["Service"],
  { open }: SecretOpener["Service"],
) => {
  const documentOf = documentOpener(open)

  /** The ids of all charges that may have the words, newest first; undefined where the list is to be looked through. */
  const candidatesOf = Effect.fnUntraced(function* (principal: Principal, words: ReadonlyArray<SearchWord>) {
    const places = words.flatMap((word) => placesOf(word) ?? [])
    const [named] = places.flatMap((place) => (place.kind === "charge" ? [place] : []))
    const indexed = places.flatMap((place) => (place.kind === "charge" ? [] : [place]))
    if (named === undefined && indexed.length === 0) return undefined
    if (named !== undefined) {
      const charge = yield* store.get(principal, named.id)
      if (charge === undefined) return []
      return "kind" in charge ? yield* keyRevoked() : [charge.id]
    }
    const ids = yield* store.lookUp(principal, indexed, limits.searchIdsMax)
    return ids !== undefined && "kind" in ids ? yield* keyRevoked() : ids
  })

  /** What the charges of a customer name it with; none where there is no such customer. */
  const digestsOf = Effect.fnUntraced(function* (principal: Principal, customerId: string) {
    const digest = customerDigestOf(principal, customerId)
    if (digest === undefined) return []
    const found = yield* customers.read(principal, [digest])
    return "kind" in found ? yield* keyRevoked() : (found[0]?.digests ?? [])
  })

  /**
   * Reads a seller's charges by the index of a customer where it is asked for, else by that of words where it tells, by that of a
   * payment link, or by that of times.
   */
  const readerOf = Effect.fnUntraced(function* (
    principal: Principal,
    query: ChargeQuery,
    words: ReadonlyArray<SearchWord>,
  ) {
    const window = windowOf(query)
    const { status, payment_link_id } = query
    const { fromMillis = 0, toMillis = Number.POSITIVE_INFINITY } = window
    const ofCustomer =
      query.customer_id === undefined ? undefined : yield* digestsOf(principal, query.customer_id)
    const isByWords = words.length > 0 && ofCustomer === undefined
    const ids = isByWords ? yield* candidatesOf(principal, words) : undefined
    const terms = ofCustomer ?? (payment_link_id === undefined ? undefined : [payment_link_id])
    const inWindow = ids?.filter((id) => timeOfId(id) >= fromMillis && timeOfId(id) <= toMillis)
    const read: ReadCharges = Effect.fnUntraced(function* (beforeId, count) {
      if (inWindow === undefined) {
        const part = { ...window, beforeId, limit: count }
        const charges = yield* terms === undefined
          ? store.list(principal, { status, ...part })
          : store.listOfTerms(principal, terms, part)
        if ("kind" in charges) return yield* keyRevoked()
        return { charges, next: charges.length < count ? undefined : charges.at(-1)?.id }
      }
      const left = inWindow.filter((id) => beforeId === undefined || id < beforeId)
      const charges = yield* store.loadMany(left.slice(0, count))
      return { charges, next: left.length > count ? left[count - 1] : undefined }
    })
    return read
  })

  /**
   * Reads charges, newest first, and shows each that matches to `visit`, until it returns false or enough charges were looked at.
   * Returns the id of the last charge before that one, or undefined where there are no more.
   */
  const walk = Effect.fnUntraced(function* (
    principal: Principal,
    query: ChargeQuery,
    { beforeId, lookedMax, firstStep }: Walk,
    visit: (charge: StoredTransaction) => boolean,
  ) {
    const words = query.q === undefined ? [] : searchWordsOf(query.q)
    const fits = chargeMatcher(query, words, documentOf)
    const matches = (charge: StoredTransaction) =>
      (query.status === undefined || charge.status === query.status) && fits(charge)
    const read = yield* readerOf(principal, query, words)
    let position = beforeId
    // Grows, because a filter that matches little must not cost a round trip for every few charges.
    let step = firstStep
    for (let looked = 0; ; ) {
      const { charges, next } = yield* read(position, step)
      for (const charge of charges) {
        if (looked === lookedMax || (matches(charge) && !visit(charge))) return position
        position = charge.id
        looked += 1
      }
      if (next === undefined) return undefined
      position = next
      // One more than is looked at tells whether there are more.
      step = Math.min(step * 2, limits.replayBatchEntries, lookedMax - looked + 1)
    }
  })

  /** A page of at most `size` charges; shorter where enough were looked at. */
  const page = Effect.fnUntraced(function* (
    principal: Principal,
    query: ChargeQuery,
    beforeId: string | undefined,
    size: number,
  ) {
    const found: Array<StoredTransaction> = []
    const from = { beforeId, lookedMax: limits.filterScanEntriesMax, firstStep: size + 1 }
    const next = yield* walk(principal, query, from, (charge) => {
      if (found.length === size) return false
      found.push(charge)
      return true
    })
    return { found, next }
  })

  /** The ids of all charges that a query asks for, newest first; undefined where there are more than `max`, or too many to look at. */
  const idsOf = Effect.fnUntraced(function* (principal: Principal, query: ChargeQuery, max: number) {
    const ids: Array<string> = []
    const from = {
      beforeId: undefined,
      lookedMax: limits.chargesAddedUpMax,
      firstStep: limits.replayBatchEntries,
    }
    const next = yield* walk(principal, query, from, ({ id }) => ids.length < max && ids.push(id) > 0)
    return next === undefined ? ids : undefined
  })

  /** What the charges add up to; of a long list, the newest {@link limits.chargesAddedUpMax} that were looked at. */
  const totals = Effect.fnUntraced(function* (principal: Principal, query: ChargeQuery) {
    const sums = new Map(transactionStatuses.map((status) => [status, noSums()] as const))
    const from = {
      beforeId: undefined,
      lookedMax: limits.chargesAddedUpMax,
      firstStep: limits.replayBatchEntries,
    }
    const next = yield* walk(principal, query, from, ({ status, document }) => {
      const ofStatus = sums.get(status)
      if (ofStatus !== undefined) addCharge(ofStatus, document)
      return true
    })
    const all = noSums()
    for (const ofStatus of sums.values()) {
      for (const name of Object.keys(all) as ReadonlyArray<keyof TransactionSums>) all[name] += ofStatus[name]
    }
    const answer: TransactionTotals = {
      ...all,
      by_status: Object.fromEntries(sums) as TransactionTotals["by_status"],
      complete: next === undefined,
      since: next === undefined ? null : new Date(timeOfId(next)).toISOString(),
    }
    return answer
  })

  return { page, totals, idsOf, readerOf }
}
