import type {
  ChangePaymentLink,
  CreatePaymentLink,
  PaymentLink,
} from "../../../../schema/resources/paymentLink.ts"
import type { FeedEvent } from "../../api/live.ts"
import { dayOf } from "../../text/today.ts"

/** Whether a link takes payments, or why not. */
export type LinkState = "open" | "off" | "expired" | "full"

/** The state of a link at a moment, in ms of its seller's clock. */
export const stateOf = (
  { active, expires_at, payments, payments_max, pending_payments }: PaymentLink,
  nowMillis: number,
): LinkState => {
  if (!active) return "off"
  if (expires_at !== null && Date.parse(expires_at) <= nowMillis) return "expired"
  return payments_max !== null && payments + pending_payments >= payments_max ? "full" : "open"
}

/** Whether an event changes what links have counted. */
export const countsInLink = ({ data }: FeedEvent): boolean => {
  const object: Readonly<Record<string, unknown>> = { ...data.object }
  return object.object === "payment_link" || object.payment_link_id !== undefined
}

/** What the form has; undefined where a field is empty. */
export interface LinkDraft {
  readonly title: string
  readonly description: string
  readonly isOpen: boolean
  readonly amount: number | undefined
  readonly least: number | undefined
  readonly most: number | undefined
  /** A day of the calendar, or "". */
  readonly until: string
  readonly paymentsMax: string
  readonly reference: string
  readonly returnUrl: string
}

/** What is wrong with a draft; undefined: nothing that can be said before it is sent. */
export const problemOf = (draft: LinkDraft): "title" | "amount" | "bounds" | "payments" | undefined => {
  if (draft.title === "") return "title"
  if (!draft.isOpen && draft.amount === undefined) return "amount"
  if (draft.isOpen && (draft.least ?? 0) > (draft.most ?? Number.POSITIVE_INFINITY)) return "bounds"
  return draft.paymentsMax === "" || /^[1-9]\d{0,6}$/.test(draft.paymentsMax) ? undefined : "payments"
}

const textOrNull = (text: string): string | null => (text === "" ? null : text)

/** The body of a link's creation. */
export const bodyOf = (draft: LinkDraft): CreatePaymentLink => ({
  title: draft.title,
  description: textOrNull(draft.description),
  ...(draft.isOpen
    ? { amount: null, amount_min: draft.least ?? null, amount_max: draft.most ?? null }
    : { amount: draft.amount ?? null }),
  expires_at: textOrNull(draft.until),
  payments_max: draft.paymentsMax === "" ? null : Number(draft.paymentsMax),
  reference: textOrNull(draft.reference),
  return_url: textOrNull(draft.returnUrl),
})

/** The last day of a link in Brazil, as fields of dates take it; "" without one. */
export const lastDayOf = ({ expires_at }: Pick<PaymentLink, "expires_at">): string =>
  expires_at === null ? "" : dayOf(new Date(expires_at))

/** What of a form's body differs from the link: a date that stayed the same keeps its time of day. */
export const changesOf = (link: PaymentLink, draft: LinkDraft): ChangePaymentLink => {
  const before: Readonly<Record<string, unknown>> = { ...link, expires_at: textOrNull(lastDayOf(link)) }
  return Object.fromEntries(Object.entries(bodyOf(draft)).filter(([name, value]) => before[name] !== value))
}
