import { type SearchWord, searchMatcher } from "../../actors/values/chargeSearch.ts"
import { parseCharge } from "../../actors/values/storedDocuments.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"

/** Filters that a charge itself must tell, as a query has them; `status`, `from` and `to` have indexes, and so has `payment_link_id` without `q`. */
export interface ChargeFilters {
  /** In centavos. */
  readonly amount_min?: string
  readonly amount_max?: string
  readonly has_refund?: "true" | "false"
  readonly payment_link_id?: string
}

type Test = (charge: Transaction) => boolean

const testsOf = (filters: ChargeFilters): ReadonlyArray<Test> => {
  const { amount_min, amount_max, has_refund, payment_link_id } = filters
  const tests: Array<Test> = []
  if (amount_min !== undefined) tests.push(({ amount }) => amount >= Number(amount_min))
  if (amount_max !== undefined) tests.push(({ amount }) => amount <= Number(amount_max))
  if (has_refund !== undefined) tests.push(({ refunds }) => refunds.length > 0 === (has_refund === "true"))
  if (payment_link_id !== undefined) tests.push((charge) => charge.payment_link_id === payment_link_id)
  return tests
}

/** Makes the test of a stored charge by a query's filters and words. Without any it parses nothing. */
export const chargeMatcher = (
  filters: ChargeFilters,
  words: ReadonlyArray<SearchWord>,
  documentOf: (charge: Transaction) => string | undefined,
): ((stored: { readonly document: string }) => boolean) => {
  const search = words.length === 0 ? [] : [searchMatcher(words, documentOf)]
  const tests = [...testsOf(filters), ...search]
  if (tests.length === 0) return () => true
  return ({ document }) => {
    const charge = parseCharge(document)
    return tests.every((test) => test(charge))
  }
}
