import type { LinkClosure } from "../../../actors/seller/decisions/paymentLinkDecisions.ts"
import { limits } from "../../../schema/limits.ts"
import type { PaymentLinkSettings } from "../../../schema/resources/paymentLink.ts"
import { escapeHtml } from "../docs/html.ts"
import type { Language } from "../server/language.ts"
import type { LinkField, LinkForm } from "./linkForm.ts"
import { linkTexts } from "./linkTexts.ts"
import {
  amounts,
  colorHtml,
  documentHtml,
  logoHtml,
  type PageFiles,
  payeeHtml,
  plainPage,
  type ShownCharge,
  testHtml,
} from "./page.ts"
import { texts } from "./texts.ts"

/** What the page of a link shows: nothing of whoever paid before. */
export interface ShownLink extends Pick<ShownCharge, "payee" | "brand"> {
  readonly settings: PaymentLinkSettings
}

const money = (language: Language, centavos: number): string => amounts[language].format(centavos / 100)

const inputs: Readonly<Record<LinkField, string>> = {
  amount: 'type="text" inputmode="decimal" autocomplete="off" maxlength="20"',
  name: `type="text" autocomplete="name" maxlength="${limits.customerNameLengthMax}"`,
  email: `type="email" autocomplete="email" maxlength="${limits.customerEmailLengthMax}"`,
  document: 'type="text" autocomplete="off" spellcheck="false" maxlength="20"',
}

const fieldHtml = (
  field: LinkField,
  label: string,
  hint: string,
  form: LinkForm,
  wrong: string | undefined,
) => {
  const said = wrong ?? hint
  const describes = said === "" ? "" : ` aria-describedby="${field}-said"`
  const invalid = wrong === undefined ? "" : ' aria-invalid="true"'
  const line =
    said === ""
      ? ""
      : `<p class="${wrong === undefined ? "quiet" : "wrong"}" id="${field}-said">${escapeHtml(said)}</p>`
  return `<div class="field"><label for="${field}">${escapeHtml(label)}</label><input id="${field}" name="${field}" ${inputs[field]} required value="${escapeHtml(form[field])}"${invalid}${describes}>${line}</div>`
}

/** What a payer may choose, in words; "" where that is anything. */
const boundsOf = (
  { amount_min: least, amount_max: most }: PaymentLinkSettings,
  language: Language,
): string => {
  const { amountBetween, amountFrom } = linkTexts[language]
  if (least === null || most === null) return ""
  if (most < limits.amountMax) return amountBetween(money(language, least), money(language, most))
  return least > limits.amountMin ? amountFrom(money(language, least)) : ""
}

/**
 * The page of a payment link (docs/contract/payment-links.md#the-page): who is paid, what for, and the form. It needs no script. Hostile
 * texts are escaped, and isolated from the direction of the text around them.
 */
export const linkPage = (
  { settings, payee, brand }: ShownLink,
  language: Language,
  files: PageFiles,
  form: LinkForm,
  wrong: ReadonlyArray<LinkField>,
): string => {
  const words = linkTexts[language]
  const { title, description, amount, mode } = settings
  const bounds = amount === null ? boundsOf(settings, language) : ""
  const field = (name: LinkField, label: string, hint: string, said: string) =>
    fieldHtml(name, label, hint, form, wrong.includes(name) ? said : undefined)
  const shownAmount =
    amount === null
      ? ""
      : `<p class="amount" data-testid="pay-amount" data-amount="${amount}">${escapeHtml(money(language, amount))}</p>`
  const more = description === null ? "" : `<p class="order"><bdi>${escapeHtml(description)}</bdi></p>`
  const alert = wrong.length === 0 ? "" : `<p class="wrong" role="alert">${escapeHtml(words.seeFields)}</p>`
  const body = `${mode === "test" ? testHtml(texts[language]) : ""}<main><div class="card"><section class="summary" aria-labelledby="title">${logoHtml(brand)}
<p class="quiet">${escapeHtml(texts[language].payTo)} ${payeeHtml(payee)}</p>
<h1 id="title" class="title" data-testid="link-title"><bdi>${escapeHtml(title)}</bdi></h1>
${more}${shownAmount}</section>
<section class="action"><form method="post" class="payer" data-testid="link-form" novalidate>${alert}
${amount === null ? field("amount", words.amountLabel, bounds, `${words.amountWrong} ${bounds}`.trim()) : ""}
${field("name", words.name.label, "", words.name.wrong)}
${field("email", words.email.label, "", words.email.wrong)}
${field("document", words.document.label, "", words.document.wrong)}
<input type="hidden" name="key" value="${escapeHtml(form.key)}">
<button type="submit">${escapeHtml(amount === null ? words.pay : words.payAmount(money(language, amount)))}</button>
<p class="quiet small">${escapeHtml(words.privacy)}</p></form></section></div></main>`
  return documentHtml(language, title, files, body, colorHtml(brand))
}

/** Why there is no form. */
export type NoForm = LinkClosure | "unknown" | "tooMany" | "failed"

/** The page in place of a form. */
export const noFormPage = (why: NoForm, language: Language, files: PageFiles): string => {
  const words = linkTexts[language]
  const said = why === "unknown" || why === "tooMany" || why === "failed" ? words[why] : words.closed[why]
  return plainPage(said, language, files, why === "unknown" ? "unknown" : "expired")
}
