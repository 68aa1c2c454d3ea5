import { ApiError, validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type {
  ChangePaymentLink,
  CreatePaymentLink,
  PaymentLinkSettings,
} from "../../../schema/resources/paymentLink.ts"
import type { CreateTransaction } from "../../../schema/resources/transaction.ts"
import type { StoredPaymentLink } from "../../ports/paymentLinkStore.ts"

/** A stored link's address follows from its id, and whoever shows the link fills it in. */
const urlLeftOut = ""

/** What a body says of a link: a field that is not in it stays as it was, and null removes one. */
type Asked = CreatePaymentLink | ChangePaymentLink

const kept = <A>(asked: A | null | undefined, before: A | null): A | null =>
  asked === undefined ? before : asked

/** The amounts of a link: one, or the bounds of what payers choose. An amount takes the bounds away, and a bound the amount. */
const amountsOf = (
  asked: Asked,
  before: Pick<PaymentLinkSettings, "amount" | "amount_min" | "amount_max">,
) => {
  const hasBounds = typeof asked.amount_min === "number" || typeof asked.amount_max === "number"
  if (typeof asked.amount === "number" && hasBounds) {
    const param = typeof asked.amount_min === "number" ? "amount_min" : "amount_max"
    return validationFailed(param, `${param} is for links without an amount. Leave one of both out.`)
  }
  const amount = hasBounds ? null : kept(asked.amount, before.amount)
  if (amount !== null) return { amount, amount_min: null, amount_max: null }
  const least = kept(asked.amount_min, before.amount_min) ?? limits.amountMin
  const most = kept(asked.amount_max, before.amount_max) ?? limits.amountMax
  if (least > most) return validationFailed("amount_max", "amount_max must not be below amount_min.")
  return { amount, amount_min: least, amount_max: most }
}

/** When a link ends, as ISO 8601; an error where that is over. `momentOf` reads the text that was sent. */
const expiryOf = (
  asked: string | null | undefined,
  before: string | null,
  nowMillis: number,
  momentOf: (text: string) => number,
) => {
  if (asked === undefined || asked === null) return kept(asked, before)
  const millis = momentOf(asked)
  if (millis <= nowMillis) return validationFailed("expires_at", "expires_at must be in the future.")
  return new Date(millis).toISOString()
}

/** The moment of a decision, and how moments of bodies are read. */
export interface LinkTime {
  /** Of the seller's clock. */
  readonly nowMillis: number
  readonly momentOf: (text: string) => number
}

const settingsOf = (asked: Asked, before: PaymentLinkSettings, { nowMillis, momentOf }: LinkTime) => {
  const amounts = amountsOf(asked, before)
  if (amounts instanceof ApiError) return amounts
  const expiresAt = expiryOf(asked.expires_at, before.expires_at, nowMillis, momentOf)
  if (expiresAt instanceof ApiError) return expiresAt
  return {
    ...before,
    active: asked.active ?? before.active,
    title: asked.title ?? before.title,
    description: kept(asked.description, before.description),
    ...amounts,
    expires_at: expiresAt,
    payments_max: kept(asked.payments_max, before.payments_max),
    reference: kept(asked.reference, before.reference),
    return_url: kept(asked.return_url, before.return_url),
  }
}

/** A new link as its seller wants it, or what is wrong (docs/contract/payment-links.md#create). */
export const newPaymentLink = (
  body: CreatePaymentLink,
  {
    id,
    mode,
    createdAt,
  }: { readonly id: string; readonly mode: "live" | "test"; readonly createdAt: string },
  time: LinkTime,
): PaymentLinkSettings | ApiError<"validation_failed"> =>
  settingsOf(
    body,
    {
      id,
      object: "payment_link",
      url: urlLeftOut,
      mode,
      active: true,
      title: body.title,
      description: null,
      amount: null,
      amount_min: null,
      amount_max: null,
      expires_at: null,
      payments_max: null,
      reference: null,
      return_url: null,
      created_at: createdAt,
    },
    time,
  )

/** A link after its seller's change, or what is wrong (docs/contract/payment-links.md#change). */
export const changedPaymentLink = (
  before: PaymentLinkSettings,
  body: ChangePaymentLink,
  time: LinkTime,
): PaymentLinkSettings | ApiError<"validation_failed"> => settingsOf(body, before, time)

/** Why a link takes no payment. */
export type LinkClosure = "inactive" | "expired" | "full"

/** Why a link takes no payment now; undefined where it takes one (docs/contract/payment-links.md#when-a-link-is-closed). */
export const linkClosure = (
  { active, paymentsMax, payments, pendingPayments }: StoredPaymentLink,
  { expires_at: expiresAt }: PaymentLinkSettings,
  nowMillis: number,
): LinkClosure | undefined => {
  if (!active) return "inactive"
  if (expiresAt !== null && Date.parse(expiresAt) <= nowMillis) return "expired"
  return paymentsMax !== undefined && payments + pendingPayments >= paymentsMax ? "full" : undefined
}

const closedMessages: Readonly<Record<LinkClosure, string>> = {
  inactive: "This payment link is switched off.",
  expired: "This payment link has expired.",
  full: "This payment link has no place left: all its payments are made, or under way. A place comes free if one is not paid in time.",
}

/** The error of a payment through a closed link. */
export const linkClosed = (closure: LinkClosure): ApiError<"invalid_state"> =>
  new ApiError({ code: "invalid_state", message: closedMessages[closure] })

/** The body of a charge that is made through a link (docs/contract/payment-links.md#charges). */
export const chargeOfLink = (
  { title, description, reference, return_url: returnUrl }: PaymentLinkSettings,
  amount: number,
  customer: CreateTransaction["customer"],
): CreateTransaction => ({
  amount,
  payment_method: "pix",
  customer,
  items: [{ name: title, quantity: 1, unit_amount: amount }],
  pix: { expires_in_seconds: limits.paymentLinkChargeSeconds },
  reference,
  description: description ?? title,
  return_url: returnUrl,
  show_on_page: true,
})
