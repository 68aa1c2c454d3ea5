import { orderOf } from "../../../../schema/chargeTexts.ts"
import { transactionStatuses } from "../../../../schema/names.ts"
import type { TransactionStatus, TransactionSummary } from "../../../../schema/resources/transaction.ts"
import { dayOf } from "../../text/today.ts"
import { readPeriod } from "../../ui/period.ts"
import { wordsIn } from "../../ui/words.ts"

/** Which charges a list shows, as the API takes it. */
export interface ChargeFilters {
  readonly status?: TransactionStatus | undefined
  /** Days of São Paulo, `YYYY-MM-DD`, both included. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly q?: string | undefined
  /** In centavos. */
  readonly amount_min?: string | undefined
  readonly amount_max?: string | undefined
  readonly has_refund?: "true" | "false" | undefined
  readonly payment_link_id?: string | undefined
  readonly customer_id?: string | undefined
}

/** The names of all filters but the status, as the address has them. */
export const narrowingNames = [
  "from",
  "to",
  "q",
  "amount_min",
  "amount_max",
  "has_refund",
  "payment_link_id",
  "customer_id",
] as const

/** The filters that an address has; what the API would not take is left out, so that an old or wrong link still shows a list. */
export const readChargeFilters = (query: URLSearchParams): ChargeFilters => {
  const centavos = (name: string) => {
    const text = query.get(name) ?? ""
    return /^\d{1,12}$/.test(text) ? text : undefined
  }
  const link = query.get("payment_link_id") ?? ""
  const customer = query.get("customer_id") ?? ""
  const known = <T extends string>(name: string, values: ReadonlyArray<T>) =>
    values.find((value) => value === query.get(name))
  return {
    status: known("status", transactionStatuses),
    ...readPeriod(query),
    q: wordsIn(query.get("q") ?? ""),
    amount_min: centavos("amount_min"),
    amount_max: centavos("amount_max"),
    has_refund: known("has_refund", ["true", "false"] as const),
    payment_link_id: /^plk_\w{26}$/.test(link) ? link : undefined,
    customer_id: /^cus_\w{26}$/.test(customer) ? customer : undefined,
  }
}

const fold = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
const partsOf = (text: string): ReadonlyArray<string> => text.match(/[\p{L}\p{N}]+/gu) ?? []

/** The digits of a CPF that pages show. */
const middleOf = (document: string): string | undefined =>
  document.length === 11 ? document.slice(3, 9) : undefined

/** Whether a charge has all words, as the service finds them (`docs/contract/transactions.md#search`). */
const hasWords = (charge: TransactionSummary, q: string): boolean => {
  const { name, email, document } = charge.customer
  const order = fold(orderOf(charge))
  const ofReference = charge.reference === null ? [] : partsOf(order)
  const texts = [...partsOf(fold(name)), fold(email), ...order.split(/\s+/), ...ofReference]
  const isIn = (prefix: string) => texts.some((text) => text.startsWith(prefix))
  const ids = [charge.id, charge.pix.txid, charge.end_to_end_id]
  return q.split(" ").every((word) => {
    const parts = word.includes("@") ? [] : partsOf(fold(word))
    const digits = word.replace(/\D/g, "")
    return (
      isIn(fold(word)) ||
      (parts.length > 1 && parts.every(isIn)) ||
      (digits.length >= 6 && (document.startsWith(digits) || middleOf(document) === digits)) ||
      ids.includes(word)
    )
  })
}

/** Whether a list shows a charge, whose customer it is not asked about: a charge does not name it. */
export const isShown = (charge: TransactionSummary, filters: ChargeFilters): boolean => {
  const { status, from, to, q, amount_min, amount_max, has_refund, payment_link_id } = filters
  const day = dayOf(new Date(charge.created_at))
  return (
    (status === undefined || charge.status === status) &&
    (from === undefined || day >= from) &&
    (to === undefined || day <= to) &&
    (amount_min === undefined || charge.amount >= Number(amount_min)) &&
    (amount_max === undefined || charge.amount <= Number(amount_max)) &&
    (has_refund === undefined || charge.refunds.length > 0 === (has_refund === "true")) &&
    (payment_link_id === undefined || charge.payment_link_id === payment_link_id) &&
    (q === undefined || hasWords(charge, q))
  )
}
