import { Schema } from "effect"
import { isTaxDocument } from "../../../actors/seller/decisions/taxDocument.ts"
import type { PaymentLinkSettings } from "../../../schema/resources/paymentLink.ts"
import { CreateTransaction, stripDocument } from "../../../schema/resources/transaction.ts"

/** What a payer typed, as it stands in the form. */
export interface LinkForm {
  readonly amount: string
  readonly name: string
  readonly email: string
  readonly document: string
  /** Made with the page: what is sent twice makes one charge. */
  readonly key: string
}

/** The fields that a payer sees. */
export type LinkField = Exclude<keyof LinkForm, "key">

/** A form with nothing in it. */
export const emptyForm = (key: string): LinkForm => ({ amount: "", name: "", email: "", document: "", key })

const keyPattern = /^[A-Za-z0-9]{16,64}$/

/** Reads a form's body. A key that no page of ours made is as good as none: then each request makes a charge. */
export const readForm = (body: string, newKey: string): LinkForm => {
  const fields = new URLSearchParams(body)
  const textOf = (name: string) => (fields.get(name) ?? "").trim()
  const key = textOf("key")
  return {
    ...{ amount: textOf("amount"), name: textOf("name").replace(/\s+/g, " "), email: textOf("email") },
    document: textOf("document"),
    key: keyPattern.test(key) ? key : newKey,
  }
}

/**
 * Centavos of an amount as people type it, in either language: `12,90`, `12.90`, `1.234,56`, `R$ 12`; undefined where it is none. The
 * last comma or dot before one or two digits separates the centavos.
 */
const centavosOf = (text: string): number | undefined => {
  const match = /^(?<whole>\d{1,3}(?:[.,]\d{3})+|\d+)(?:[.,](?<cents>\d{1,2}))?$/.exec(
    text.replace(/R\$|\s/g, ""),
  )
  if (match?.groups?.whole === undefined) return undefined
  const whole = Number(match.groups.whole.replace(/[.,]/g, ""))
  return whole * 100 + Number((match.groups.cents ?? "").padEnd(2, "0"))
}

const isCustomer = Schema.is(CreateTransaction.fields.customer)
const somebody = { name: "Ana", email: "ana@example.com", document: "52998224725" }

/** What a form asks for, or which of its fields are wrong (docs/contract/payment-links.md#the-page). */
export const checkForm = (
  form: LinkForm,
  { amount: fixed, amount_min: least, amount_max: most }: PaymentLinkSettings,
) => {
  const { name, email } = form
  const document = stripDocument(form.document)
  const amount = fixed ?? centavosOf(form.amount)
  const isAmount =
    amount !== undefined && (fixed !== null || (amount >= (least ?? 0) && amount <= (most ?? 0)))
  const wrong: ReadonlyArray<LinkField> = [
    ...(isAmount ? [] : (["amount"] as const)),
    ...(isCustomer({ ...somebody, name }) ? [] : (["name"] as const)),
    ...(isCustomer({ ...somebody, email }) ? [] : (["email"] as const)),
    ...(isCustomer({ ...somebody, document }) && isTaxDocument(document) ? [] : (["document"] as const)),
  ]
  if (wrong.length > 0 || amount === undefined) return { kind: "wrong", wrong } as const
  return { kind: "right", amount, customer: { name, email, document } } as const
}
