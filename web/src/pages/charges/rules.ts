import type { Event } from "../../../../client/src/types.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { Balance } from "../../../../schema/resources/ledger.ts"
import type { Refund } from "../../../../schema/resources/refund.ts"
import type {
  CreateTransaction,
  Transaction,
  TransactionStatus,
  TransactionSummary,
} from "../../../../schema/resources/transaction.ts"
import type { Page } from "../../api/routes.ts"
import { type ChargeFilters, isShown } from "./listFilters.ts"

/** What test mode can make of a charge (`docs/contract/test-controls.md#transactions`). */
export type TestAct = "pay" | "expire" | "fail" | "refund" | "chargeback"

const actsByStatus: Readonly<Record<TransactionStatus, ReadonlyArray<TestAct>>> = {
  pending: ["pay", "expire", "fail"],
  expired: ["pay"],
  paid: ["refund", "chargeback"],
  failed: [],
  refunded: [],
  chargeback: [],
}

/** The acts that a charge's state allows. Money that is on its way back cannot go back once more. */
export const allowedActs = (status: TransactionStatus, left: number): ReadonlyArray<TestAct> =>
  actsByStatus[status].filter((act) => left > 0 || (act !== "refund" && act !== "chargeback"))

const isUnderWay = ({ status }: Pick<Refund, "status">): boolean =>
  status === "pending" || status === "processing"

/** Centavos of a charge that can still be refunded: refunds under way count as gone. */
export const leftOf = (
  charge: Pick<Transaction, "amount" | "refunded_amount">,
  refunds: ReadonlyArray<Pick<Refund, "status" | "amount">>,
): number => {
  const underWay = refunds.filter(isUnderWay).reduce((sum, { amount }) => sum + amount, 0)
  return Math.max(0, charge.amount - charge.refunded_amount - underWay)
}

/** Centavos that a row of the list can give back; refunds under way, which it does not have, may have taken some. */
export const leftToRefund = (charge: TransactionSummary): number =>
  charge.status === "paid" ? leftOf(charge, []) : 0

/**
 * Centavos that are available after a refund: what the charge has in reserve gives first, but for what covers a debt
 * (`docs/contract/refunds.md#money`).
 */
export const balanceAfterRefund = (
  amount: number,
  { reserve }: Pick<Transaction, "reserve">,
  balance: Pick<Balance, "available" | "reserve">,
): number => {
  const ofCharge = reserve === null || reserve.released_at !== null ? 0 : reserve.amount
  const free =
    balance.available < 0 ? Math.max(0, Math.min(ofCharge, balance.reserve + balance.available)) : ofCharge
  return balance.available - Math.max(0, amount - free)
}

/** What an ending of an amount does in test mode; `paid` for all without a meaning of their own. */
export type AmountEnding = "never_paid" | "fails" | "refused" | "refunded" | "charged_back" | "paid"

const endings: Readonly<Record<number, AmountEnding>> = {
  1: "never_paid",
  2: "fails",
  3: "refused",
  4: "refunded",
  5: "charged_back",
}

/** What the last two digits of a charge's amount do in test mode (`docs/contract/transactions.md#test-amounts`). */
export const endingOf = (amount: number): AmountEnding => endings[amount % 100] ?? "paid"

/** What a form of a new charge holds. */
export interface ChargeDraft {
  /** Undefined where the text is no amount. */
  readonly amount: number | undefined
  readonly name: string
  readonly email: string
  readonly document: string
  readonly description: string
  readonly reference: string
  /** Whether payers see description and reference. */
  readonly isShownOnPage: boolean
  readonly expiresInSeconds: number
}

/** Fields of a draft that can be wrong. */
export type DraftProblem = "amount" | "name" | "email" | "document"

const emailPattern = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Whether a text has the form of a CPF or CNPJ; only live charges need its check digits. */
export const isDocument = (text: string): boolean => {
  const bare = text.replace(/[.\-/\s]/g, "").toUpperCase()
  return /^\d{11}$/.test(bare) || /^[0-9A-Z]{12}\d{2}$/.test(bare)
}

/** The first field that the service would refuse, if any; the service knows the rest. */
export const problemOf = (draft: ChargeDraft): DraftProblem | undefined => {
  const { amount } = draft
  if (amount === undefined || amount < formLimits.amountMin || amount > formLimits.amountMax) return "amount"
  if ([...draft.name].length < formLimits.customerNameLengthMin) return "name"
  if (!emailPattern.test(draft.email)) return "email"
  return isDocument(draft.document) ? undefined : "document"
}

/** The body of `POST /v1/me/transactions` for a draft without problems: one item of the whole amount. */
export const bodyOf = ({ amount = 0, ...draft }: ChargeDraft, itemName: string): CreateTransaction => ({
  amount,
  payment_method: "pix",
  customer: { name: draft.name, email: draft.email, document: draft.document },
  items: [
    {
      name: draft.description === "" ? itemName : draft.description,
      quantity: 1,
      unit_amount: amount,
    },
  ],
  pix: { expires_in_seconds: draft.expiresInSeconds },
  ...(draft.reference === "" ? {} : { reference: draft.reference }),
  ...(draft.description === "" ? {} : { description: draft.description }),
  show_on_page: draft.isShownOnPage,
})

/** Whether an event changes what a page of charges shows. */
export const isChargeEvent = ({ type }: Pick<Event, "type">): boolean => type.startsWith("transaction.")

/** Whether an event changes what a page of refunds shows. */
export const isRefundEvent = ({ type }: Pick<Event, "type">): boolean => type.startsWith("refund.")

/** Whether an event is of one charge, or of one of its refunds. */
export const isEventOf =
  (chargeId: string) =>
  ({ data }: Pick<Event, "data">): boolean => {
    const object: Readonly<Record<string, unknown>> = { ...data.object }
    return object.id === chargeId || object.transaction_id === chargeId
  }

/** What was read of several lists as one: each once, newest first. */
export const newestFirst = <A extends { readonly id: string; readonly created_at: string }>(
  all: ReadonlyArray<A>,
): ReadonlyArray<A> => {
  const each = [...new Map(all.map((one) => [one.id, one])).values()]
  // Ids begin with their time too, so they order what was created in the same millisecond.
  const placeOf = ({ created_at, id }: A) => created_at + id
  return each.sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1))
}

/** A list that has grown longer by events than this is read again, so that a page that stays open does not grow for ever. */
const rowsMax = 500

/**
 * A list of charges, newest first, after one of them has changed or was created: its row is replaced, added in its place, or gone
 * where the filters no longer show it. Undefined where the list must be read.
 */
export const listWith = (
  { data, next_cursor }: Page<TransactionSummary>,
  charge: Transaction,
  filters: ChargeFilters,
): Page<TransactionSummary> | undefined => {
  const known = data.findIndex(({ id }) => id === charge.id)
  const others = known === -1 ? data : data.toSpliced(known, 1)
  if (!isShown(charge, filters)) return { data: others, next_cursor }
  if (known !== -1) return { data: data.with(known, charge), next_cursor }
  if (data.length >= rowsMax) return undefined
  // Ids begin with their time.
  const older = data.findIndex(({ id }) => id < charge.id)
  if (older !== -1) return { data: data.toSpliced(older, 0, charge), next_cursor }
  // It is older than all that is shown: a later page has it, if there is one.
  return { data: next_cursor === null ? [...data, charge] : data, next_cursor }
}
