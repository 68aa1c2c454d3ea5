import { Schema } from "effect"
import { isTaxDocument } from "../../../actors/seller/decisions/taxDocument.ts"
import { parseAmount } from "../../../schema/amountText.ts"
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
    amount: textOf("amount"),
    name: textOf("name").replace(/\s+/g, " "),
    email: textOf("email"),
    document: textOf("document"),
    key: keyPattern.test(key) ? key : newKey,
  }
}

const { name: Name, email: Email, document: TaxDocument } = CreateTransaction.fields.customer.fields
const isName = Schema.is(Name)
const isEmail = Schema.is(Email)
const isDocument = Schema.is(TaxDocument)

/** What a form asks for, or which of its fields are wrong (docs/contract/payment-links.md#the-page). */
export const checkForm = (
  form: LinkForm,
  { amount: fixed, amount_min: least, amount_max: most }: PaymentLinkSettings,
) => {
  const { name, email } = form
  const document = stripDocument(form.document)
  const amount = fixed ?? parseAmount(form.amount)
  const isAmount =
    amount !== undefined && (fixed !== null || (amount >= (least ?? 0) && amount <= (most ?? 0)))
  const wrong: ReadonlyArray<LinkField> = [
    ...(isAmount ? [] : (["amount"] as const)),
    ...(isName(name) ? [] : (["name"] as const)),
    ...(isEmail(email) ? [] : (["email"] as const)),
    ...(isDocument(document) && isTaxDocument(document) ? [] : (["document"] as const)),
  ]
  if (wrong.length > 0 || amount === undefined) return { kind: "wrong", wrong } as const
  return { kind: "right", amount, customer: { name, email, document } } as const
}
