import { Effect } from "effect"
import type { CustomerDigests } from "../../../actors/ports/customerDigests.ts"
import type { CustomerStore, StoredCustomer } from "../../../actors/ports/customerStore.ts"
import type { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import type { StoredTransaction, TransactionStore } from "../../../actors/ports/transactionStore.ts"
import {
  type SearchWord,
  searchMatcher,
  searchWordsOf,
  wholeDocumentOf,
} from "../../../actors/values/chargeSearch.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { parseCharge } from "../../../actors/values/storedDocuments.ts"
import { customerIdOf, timeOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { Customer } from "../../../schema/resources/customer.ts"
import { documentOpener, makeChargePages, type ReadCharges } from "./chargePages.ts"
import { keyRevoked, windowOf } from "./page.ts"

/** What customers are read with. */
export interface CustomerParts {
  readonly charges: TransactionStore["Service"]
  readonly customers: CustomerStore["Service"]
  readonly opener: SecretOpener["Service"]
  readonly digests: CustomerDigests["Service"]
}

/** A customer, and the charge that says who it is. */
interface KnownCustomer {
  readonly customer: StoredCustomer
  readonly charge: StoredTransaction
}

/** Whether a customer's newest charge was created in a period. */
const inPeriod = (period: Pick<CustomerQuery, "from" | "to">) => {
  const { fromMillis = 0, toMillis = Number.POSITIVE_INFINITY } = windowOf(period)
  return ({ lastChargeId }: StoredCustomer): boolean => {
    const millis = timeOfId(lastChargeId)
    return millis >= fromMillis && millis <= toMillis
  }
}

const timeText = (id: string): string => new Date(timeOfId(id)).toISOString()

/** Which customers are asked for. */
export interface CustomerQuery {
  readonly q?: string
  /** When its newest charge was created. */
  readonly from?: string
  readonly to?: string
}

/** A page of customers; `next` is the charge after which the following one begins, if there may be one. */
interface CustomerPage {
  readonly found: ReadonlyArray<Customer>
  readonly next: string | undefined
}

/**
 * Makes the functions that read a seller's customers. There is no list of them: a customer is listed at its newest charge, which the
 * index of customers names, so a walk through the charges finds each once.
 */
export const makeCustomerPages = ({ charges, customers, opener, digests }: CustomerParts) => {
  const documentOf = documentOpener(opener.open)
  const { readerOf } = makeChargePages(charges, customers, opener)

  const render = (principal: Principal, { customer, charge }: KnownCustomer): Customer => {
    const parsed = parseCharge(charge.document)
    const { name, email, document, phone } = parsed.customer
    return {
      id: customerIdOf(principal, customer.digests[0]),
      object: "customer",
      name,
      email,
      document: documentOf(parsed) ?? document,
      phone,
      charges: customer.charges,
      paid_amount: customer.paidAmount,
      refunded_amount: customer.refundedAmount,
      first_charge_at: timeText(customer.firstChargeId),
      last_charge_at: timeText(customer.lastChargeId),
    }
  }

  const read = Effect.fnUntraced(function* (principal: Principal, asked: ReadonlyArray<string>) {
    if (asked.length === 0) return []
    const found = yield* customers.read(principal, asked)
    return "kind" in found ? yield* keyRevoked() : found
  })

  /** Customers with the charges that say who they are; `known` are some that were read already. */
  const withCharges = Effect.fnUntraced(function* (
    found: ReadonlyArray<StoredCustomer>,
    known: ReadonlyArray<StoredTransaction>,
  ) {
    const byId = new Map(known.map((charge) => [charge.id, charge]))
    const missing = found.flatMap(({ shownById }) => (byId.has(shownById) ? [] : [shownById]))
    if (missing.length > 0) for (const charge of yield* charges.loadMany(missing)) byId.set(charge.id, charge)
    return found.flatMap((customer): ReadonlyArray<KnownCustomer> => {
      const charge = byId.get(customer.shownById)
      return charge === undefined ? [] : [{ customer, charge }]
    })
  })

  /** The customer that a digest names, as it is shown; undefined where there is none. */
  const get = Effect.fnUntraced(function* (principal: Principal, digest: string) {
    const [customer] = yield* read(principal, [digest])
    if (customer === undefined) return undefined
    const [known] = yield* withCharges([customer], [])
    return known === undefined ? undefined : render(principal, known)
  })

  /** Whoever has a whole document, if the other words fit: a merged one is found by its own document too. */
  const byDocument = Effect.fnUntraced(function* (
    principal: Principal,
    document: string,
    others: ReadonlyArray<SearchWord>,
    isListed: (customer: StoredCustomer) => boolean,
  ) {
    const [customer] = yield* read(principal, [digests.of(principal, document)])
    const fits = searchMatcher(others, documentOf, true)
    const known = customer === undefined || !isListed(customer) ? [] : yield* withCharges([customer], [])
    return known
      .filter(({ charge }) => fits(parseCharge(charge.document)))
      .map((one) => render(principal, one))
  })

  /** Walks through charges and collects the customers that are listed at them. */
  const walk = Effect.fnUntraced(function* (
    principal: Principal,
    from: { readonly beforeId: string | undefined; readonly size: number },
    readCharges: ReadCharges,
    rule: {
      readonly fits: (charge: StoredTransaction) => boolean
      /** The charge that a customer is listed at; undefined: it is not. */
      readonly placeOf: (customer: StoredCustomer) => string | undefined
    },
  ) {
    const listed: Array<StoredCustomer> = []
    const places: Array<StoredTransaction> = []
    const asked = new Map<string, StoredCustomer | undefined>()
    let position = from.beforeId
    let step = from.size + 1
    for (let looked = 0; ; ) {
      const { charges: some, next } = yield* readCharges(position, step)
      const fitting = some.filter((charge) => charge.customer !== undefined && rule.fits(charge))
      const unknown = [
        ...new Set(fitting.flatMap(({ customer = "" }) => (asked.has(customer) ? [] : customer))),
      ]
      for (const [i, customer] of (yield* read(principal, unknown)).entries())
        asked.set(unknown[i] ?? "", customer)
      const fits = new Set(fitting)
      for (const charge of some) {
        const customer = fits.has(charge) ? asked.get(charge.customer ?? "") : undefined
        const isListed = customer !== undefined && rule.placeOf(customer) === charge.id
        if (looked === limits.filterScanEntriesMax || (isListed && listed.length === from.size)) {
          return { listed, places, next: position }
        }
        if (isListed) {
          listed.push(customer)
          places.push(charge)
        }
        position = charge.id
        looked += 1
      }
      if (next === undefined) return { listed, places, next: undefined }
      position = next
      // One more than is looked at tells whether there are more.
      step = Math.min(step * 2, limits.replayBatchEntries, limits.filterScanEntriesMax - looked + 1)
    }
  })

  /** A page of at most `size` customers; shorter where enough charges were looked at. */
  const page = Effect.fnUntraced(function* (
    principal: Principal,
    query: CustomerQuery,
    beforeId: string | undefined,
    size: number,
  ) {
    const { q, ...period } = query
    const words = q === undefined ? [] : searchWordsOf(q)
    const isInPeriod = inPeriod(period)
    const whole = words.find((word) => wholeDocumentOf(word) !== undefined)
    if (whole !== undefined) {
      const others = words.filter((word) => word !== whole)
      const found = yield* byDocument(principal, wholeDocumentOf(whole) ?? "", others, isInPeriod)
      return { found, next: undefined } satisfies CustomerPage
    }
    const matches = searchMatcher(words, documentOf, true)
    const isByWords = words.length > 0
    const rule = {
      fits: ({ document }: StoredTransaction) => !isByWords || matches(parseCharge(document)),
      placeOf: (customer: StoredCustomer) => {
        if (!isInPeriod(customer)) return undefined
        // The words are to be those that are shown.
        return isByWords ? customer.shownById : customer.lastChargeId
      },
    }
    // With others merged into it, a customer may be shown by a charge from before the period.
    const readCharges = yield* readerOf(principal, isByWords ? {} : period, words)
    const { listed, places, next } = yield* walk(principal, { beforeId, size }, readCharges, rule)
    const known = yield* withCharges(listed, places)
    return { found: known.map((one) => render(principal, one)), next } satisfies CustomerPage
  })

  return { get, page }
}
