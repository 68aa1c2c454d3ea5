import type { StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { payeeOf, receiptPayeeOf } from "../../../actors/seller/decisions/payee.ts"
import { erasedEmail } from "../../../actors/values/chargeLookups.ts"
import { maskedDocument } from "../../../schema/chargeTexts.ts"
import type { Refund } from "../../../schema/resources/refund.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import type { Withdrawal } from "../../../schema/resources/withdrawal.ts"
import type { Receipt, ReceiptFact, ReceiptLanguage } from "./receipt.ts"
import { receiptTexts } from "./receiptTexts.ts"

/** What receipts show of a seller. */
export type Issuer = Pick<
  StoredSeller,
  "kycStatus" | "legalName" | "name" | "payerName" | "brandLogo" | "brandColor"
>

const amounts: Readonly<Record<ReceiptLanguage, Intl.NumberFormat>> = {
  "pt-BR": new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" }),
  en: new Intl.NumberFormat("en", { style: "currency", currency: "BRL" }),
}

const moment = { dateStyle: "short", timeStyle: "medium", timeZone: "America/Sao_Paulo" } as const
const moments: Readonly<Record<ReceiptLanguage, Intl.DateTimeFormat>> = {
  "pt-BR": new Intl.DateTimeFormat("pt-BR", moment),
  en: new Intl.DateTimeFormat("en-GB", moment),
}

const makeWriter = (language: ReceiptLanguage) => ({
  words: receiptTexts[language],
  money: (centavos: number) => amounts[language].format(centavos / 100),
  when: (at: string) =>
    `${moments[language].format(Date.parse(at)).replace(",", "")} (${receiptTexts[language].timeZone})`,
})

const fact = (label: string, value: string | null | undefined): ReadonlyArray<ReceiptFact> =>
  value === null || value === undefined || value === "" ? [] : [{ label, value }]
const code = (label: string, value: string | null): ReadonlyArray<ReceiptFact> =>
  value === null ? [] : [{ label, value, isCode: true }]

const faceOf = (issuer: Issuer) => {
  const payee = receiptPayeeOf(issuer)
  const { name } = payeeOf(issuer)
  return {
    issuer: payee,
    shop: name === payee ? undefined : name,
    logo: issuer.brandLogo,
    color: issuer.brandColor,
  }
}

/** Who paid, with a masked document; nothing of a customer who was erased. */
const payerFacts = (
  { customer }: Transaction,
  document: string | undefined,
  labels: { readonly name: string; readonly document: string },
): ReadonlyArray<ReceiptFact> =>
  customer.email === erasedEmail
    ? []
    : [
        ...fact(labels.name, customer.name),
        ...fact(labels.document, document === undefined ? undefined : maskedDocument(document)),
      ]

/**
 * The receipt of a charge, for its payer (docs/contract/receipts.md#payments); undefined of one that was never paid. `document` is the
 * payer's in plain; undefined leaves it out.
 */
export const chargeReceipt = (
  charge: Transaction,
  document: string | undefined,
  issuer: Issuer,
  language: ReceiptLanguage,
): Receipt | undefined => {
  if (charge.paid_at === null) return undefined
  const { words, money, when } = makeWriter(language)
  const { id, amount, paid_at, refunded_amount, show_on_page, description, reference, end_to_end_id } = charge
  return {
    ...faceOf(issuer),
    language,
    file: `${language === "en" ? "receipt" : "comprovante"}-${id}`,
    title: words.payment,
    testMode: charge.mode === "test" ? words.testMode : undefined,
    amount: money(amount),
    facts: [
      ...fact(words.paidAt, when(paid_at)),
      ...payerFacts(charge, document, { name: words.payer, document: words.document }),
      ...fact(words.payee, receiptPayeeOf(issuer)),
      ...(show_on_page ? [...fact(words.description, description), ...fact(words.order, reference)] : []),
      ...(refunded_amount > 0 ? fact(words.refundedSoFar, money(refunded_amount)) : []),
      ...code(words.endToEndId, end_to_end_id),
    ],
    footer: words.footer,
  }
}

/** The receipt of a refund, which payers may see (docs/contract/receipts.md#refunds); undefined of one that did not succeed. */
export const refundReceipt = (
  refund: Refund,
  charge: Transaction,
  document: string | undefined,
  issuer: Issuer,
  language: ReceiptLanguage,
): Receipt | undefined => {
  if (refund.status !== "succeeded" || refund.completed_at === null) return undefined
  const { words, money, when } = makeWriter(language)
  return {
    ...faceOf(issuer),
    language,
    file: `${language === "en" ? "receipt" : "comprovante"}-${refund.id}`,
    title: words.refund,
    testMode: refund.mode === "test" ? words.testMode : undefined,
    amount: money(refund.amount),
    facts: [
      ...fact(words.refundedAt, when(refund.completed_at)),
      ...payerFacts(charge, document, { name: words.refundedTo, document: words.document }),
      ...fact(words.refundedBy, receiptPayeeOf(issuer)),
      ...fact(words.paymentAmount, money(charge.amount)),
      ...fact(words.paidAt, charge.paid_at === null ? undefined : when(charge.paid_at)),
      ...code(words.returnId, refund.return_id),
      ...code(words.endToEndId, charge.end_to_end_id),
    ],
    footer: words.footer,
  }
}

/** The receipt of a withdrawal, for its seller (docs/contract/receipts.md#withdrawals); undefined of one that did not arrive. */
export const withdrawalReceipt = (
  withdrawal: Withdrawal,
  issuer: Issuer,
  language: ReceiptLanguage,
): Receipt | undefined => {
  const { status, completed_at, amount, fee, total, pix_key, description, returned_amount = 0 } = withdrawal
  if (status !== "successful" || completed_at === null) return undefined
  const { words, money, when } = makeWriter(language)
  return {
    ...faceOf(issuer),
    language,
    file: `${language === "en" ? "receipt" : "comprovante"}-${withdrawal.id}`,
    title: words.transfer,
    testMode: withdrawal.mode === "test" ? words.testMode : undefined,
    amount: money(amount),
    facts: [
      ...fact(words.transferredAt, when(completed_at)),
      ...fact(words.account, receiptPayeeOf(issuer)),
      ...fact(words.pixKey, pix_key.value),
      ...fact(words.description, description),
      ...fact(words.fee, money(fee)),
      ...fact(words.total, money(total)),
      ...(returned_amount > 0 ? fact(words.returned, money(returned_amount)) : []),
      ...code(words.id, withdrawal.id),
      ...code(words.endToEndId, withdrawal.end_to_end_id),
    ],
    footer: words.footer,
  }
}
