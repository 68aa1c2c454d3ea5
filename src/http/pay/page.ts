import type { Payee } from "../../../actors/seller/decisions/payee.ts"
import type { Mode } from "../../../schema/ids.ts"
import type { TransactionStatus } from "../../../schema/resources/transaction.ts"
import { escapeHtml } from "../docs/html.ts"
import type { Language } from "../server/language.ts"
import type { ReplyHeaders } from "../server/reply.ts"
import { brandStyle } from "./brand.ts"
import { type StatusTexts, type Texts, texts } from "./texts.ts"

const drawn = (shape: string): string =>
  `<svg class="icon" viewBox="0 0 48 48" width="64" height="64" aria-hidden="true" focusable="false"><circle cx="24" cy="24" r="24"/>${shape}</svg>`

const check = drawn('<path d="M14.5 24.5l6.5 6.5 12.5-13.5"/>')
const clock = drawn('<path d="M24 13.5V24l7 5"/>')
const cross = drawn('<path d="M17 17l14 14M31 17L17 31"/>')
const back = drawn('<path d="M20.5 16l-6 6 6 6M14.5 22H28a5.5 5.5 0 0 1 0 11h-6"/>')
const question = drawn('<path d="M19 19.5a5 5 0 1 1 7 4.6c-1.3.7-2 1.6-2 3.1M24 33v.2"/>')

const icons: Readonly<Record<TransactionStatus | "unknown", string>> = {
  pending: clock,
  paid: check,
  expired: clock,
  failed: cross,
  refunded: back,
  chargeback: back,
  unknown: question,
}

/** The picture of a status, which says nothing that the words beside it do not. */
export const iconOf = (status: TransactionStatus | "unknown"): string => icons[status]

/** What the page of a charge shows: nothing of its customer is among it. */
export interface ShownCharge {
  readonly status: TransactionStatus
  readonly mode: Mode
  /** In centavos. */
  readonly amount: number
  readonly payee: Payee
  /** The payee as receipts name it. */
  readonly receiptPayee: string
  /** The seller's own number of the order, and what is paid for: where it wants payers to see them. */
  readonly reference: string | undefined
  readonly description: string | undefined
  /** Where the seller's shop goes on after the payment. */
  readonly returnUrl: string | undefined
  /** The bank's id of the payment; undefined before. */
  readonly endToEndId: string | undefined
  /** Whom the payer's bank names as the payee, as the code has it. */
  readonly bankName: string | undefined
  /** Whether that is our name: codes of sellers without an approved one have it. */
  readonly isBankNameOurs: boolean
  readonly brand: { readonly logo: string | undefined; readonly color: string | undefined }
  /** The copy-and-paste code. */
  readonly payload: string
  /** Its picture: a PNG in base64. */
  readonly picture: string
  readonly expiresAtMillis: number
  readonly paidAtMillis: number | undefined
  /** The seller's clock, which in test mode may be ahead. */
  readonly nowMillis: number
}

/** Paths of what a page loads, from `/pay`. */
export interface PageFiles {
  readonly script: string
  readonly style: string
}

/** Writes centavos of an amount that was divided by a hundred. */
export const amounts: Readonly<Record<Language, Intl.NumberFormat>> = {
  "pt-BR": new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" }),
  en: new Intl.NumberFormat("en", { style: "currency", currency: "BRL" }),
}

/** Longer amounts are written smaller, so that they fit on a line of a phone. */
const longAmountLength = 13

const moment = { dateStyle: "short", timeStyle: "short", timeZone: "America/Sao_Paulo" } as const
const moments: Readonly<Record<Language, Intl.DateTimeFormat>> = {
  "pt-BR": new Intl.DateTimeFormat("pt-BR", moment),
  en: new Intl.DateTimeFormat("en-GB", moment),
}

/** A moment as its date and time in Brazil, for people and for programs. */
const momentHtml = (language: Language, millis: number, attributes = ""): string =>
  `<time datetime="${new Date(millis).toISOString()}"${attributes}>${escapeHtml(moments[language].format(millis))}</time>`

/** A whole page: its head loads nothing but our own files. */
export const documentHtml = (
  language: Language,
  title: string,
  files: PageFiles,
  body: string,
  more = "",
): string =>
  `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow"><meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${files.style}">${more}</head>
<body>${body}</body></html>
`

/** Whether money came in, whatever became of it. */
const isPaid = (status: TransactionStatus): boolean =>
  status === "paid" || status === "refunded" || status === "chargeback"

/** In place of the code, once there is nothing to pay: what happened. */
const outcomeHtml = (status: TransactionStatus | "unknown", words: StatusTexts, more = ""): string =>
  `<div class="outcome" data-tone="${status}">${iconOf(status)}<h2>${escapeHtml(words.heading)}</h2><p>${escapeHtml(words.sentence)}</p>${more}</div>`

/** What pays the charge. On a phone, which cannot scan its own screen, the button that copies comes first, elsewhere the picture. */
const codeHtml = ({ payload, picture, bankName, isBankNameOurs }: ShownCharge, words: Texts): string => {
  const [before, after] = isBankNameOurs ? ["", words.bankIsOurs] : [":", ""]
  const bank =
    bankName === undefined
      ? ""
      : `<p class="bank quiet">${escapeHtml(words.bankShows)}${before} <strong>${escapeHtml(bankName)}</strong>${escapeHtml(after)}</p>`
  return `<div class="code" id="code">
<button type="button" id="copy" hidden data-done="${escapeHtml(words.copied)}" data-failed="${escapeHtml(words.copyFailed)}">${escapeHtml(words.copy)}</button>
${bank}<details class="fold qr-fold" open><summary>${escapeHtml(words.showQr)}</summary><img class="qr" data-testid="pay-qr" src="data:image/png;base64,${picture}" alt="${escapeHtml(words.qrAlternative)}" width="240" height="240"></details>
<details class="fold payload-fold" open><summary>${escapeHtml(words.showCode)}</summary><label for="payload">${escapeHtml(words.codeLabel)}</label>
<textarea id="payload" data-testid="pay-payload" readonly rows="4" spellcheck="false" autocomplete="off">${escapeHtml(payload)}</textarea></details>
<p class="spoken" id="spoken" role="status"></p>
</div>`
}

const stepsHtml = (words: Texts): string =>
  `<section class="steps" id="steps"><ol>${words.steps.map((step, index) => `<li${index === 1 ? ` id="scan" data-folded="${escapeHtml(words.pasteOnly)}"` : ""}>${escapeHtml(step)}</li>`).join("")}</ol>
<p class="quiet" id="waits" hidden>${escapeHtml(words.checkPayee)}</p>
<noscript><p class="quiet">${escapeHtml(words.withoutScript)} <a href="">${escapeHtml(words.reload)}</a>.</p></noscript></section>`

/** The statuses that a page may turn to while it is open; after any other status it stays as it is. */
const laterStatuses: Partial<Record<TransactionStatus, ReadonlyArray<TransactionStatus>>> = {
  pending: ["paid", "expired", "failed", "refunded", "chargeback"],
  paid: ["refunded", "chargeback"],
}

/** The outcomes that a page may turn to, for its script to show. */
const laterHtml = (statuses: ReadonlyArray<TransactionStatus>, words: Texts): string =>
  statuses
    .map(
      (status) =>
        `<template data-status="${status}" data-pill="${escapeHtml(words.statuses[status].pill)}">${outcomeHtml(status, words.statuses[status])}</template>`,
    )
    .join("")

/** Until when it can be paid, or could; nothing of a charge that was paid. */
const dueHtml = (charge: ShownCharge, language: Language, words: Texts): string => {
  const { status, expiresAtMillis, nowMillis } = charge
  if (isPaid(status)) return ""
  const isPending = status === "pending"
  const live = isPending ? ` data-left="${Math.max(0, expiresAtMillis - nowMillis)}"` : ""
  const attributes = ` data-testid="pay-countdown"${live} data-days="${escapeHtml(words.days)}"`
  const label = isPending ? words.payUntil : words.validUntil
  return `<p class="due" id="due"><span id="due-label" data-live="${escapeHtml(words.expiresIn)}" data-after="${escapeHtml(words.validUntil)}">${escapeHtml(label)}</span> ${momentHtml(language, expiresAtMillis, attributes)} <span class="zone" id="zone">(${escapeHtml(words.timeZone)})</span></p>`
}

/** What the seller calls the order, and what is paid for, each isolated from the direction of the text around it. */
const orderHtml = ({ reference, description }: ShownCharge, words: Texts): string => {
  const parts = [
    ...(description === undefined ? [] : [`<bdi>${escapeHtml(description)}</bdi>`]),
    ...(reference === undefined ? [] : [`${escapeHtml(words.order)} <bdi>${escapeHtml(reference)}</bdi>`]),
  ]
  return parts.length === 0 ? "" : `<p class="order" data-testid="pay-order">${parts.join(" · ")}</p>`
}

/** What a payer keeps of a payment, and the way back to the shop. Nothing of a charge that was never paid. */
const receiptHtml = (charge: ShownCharge, language: Language, words: Texts, place: string): string => {
  const { status, amount, receiptPayee, paidAtMillis, endToEndId, returnUrl } = charge
  if (status !== "paid" || paidAtMillis === undefined) return ""
  const { receipt } = words
  const facts: ReadonlyArray<readonly [name: string, html: string]> = [
    [receipt.amount, escapeHtml(amounts[language].format(amount / 100))],
    [receipt.paidAt, momentHtml(language, paidAtMillis)],
    [receipt.payee, `<bdi>${escapeHtml(receiptPayee)}</bdi>`],
    ...(endToEndId === undefined
      ? []
      : ([[receipt.endToEndId, `<code>${escapeHtml(endToEndId)}</code>`]] as const)),
  ]
  const lines = facts
    .map(([name, html]) => `<div><dt>${escapeHtml(name)}</dt><dd>${html}</dd></div>`)
    .join("")
  const back =
    returnUrl === undefined
      ? ""
      : `<a class="button" href="${escapeHtml(returnUrl)}" rel="noreferrer" data-testid="pay-return">${escapeHtml(words.backToShop)}</a>`
  return `<div class="kept" id="kept"><section class="receipt" data-testid="pay-receipt" aria-label="${escapeHtml(receipt.title)}"><dl>${lines}</dl></section>
${back}<div class="keep"><a class="button plain" href="${place}/receipt" data-testid="pay-open-receipt">${escapeHtml(receipt.open)}</a><button type="button" class="plain" id="share" hidden data-text="${escapeHtml(words.title(amounts[language].format(amount / 100)))}">${escapeHtml(receipt.share)}</button></div></div>`
}

/** The seller's logo, if it has one. */
export const logoHtml = ({ logo }: ShownCharge["brand"]): string =>
  logo === undefined
    ? ""
    : `<img class="logo" data-testid="pay-logo" src="data:image/png;base64,${logo}" alt="" height="40">`

/** `Loja (Razão Social)`: a seller chooses its display name, so the approved name stands beside it, on a line of its own. */
export const payeeHtml = ({ name, legalName }: Payee): string =>
  legalName === undefined
    ? `<bdi data-testid="pay-seller">${escapeHtml(name)}</bdi>`
    : `<span data-testid="pay-seller"><bdi>${escapeHtml(name)}</bdi> <span class="legal">(<bdi>${escapeHtml(legalName)}</bdi>)</span></span>`

const summaryHtml = (charge: ShownCharge, language: Language, words: Texts): string => {
  const { status, amount, payee, paidAtMillis, brand } = charge
  const paid =
    paidAtMillis === undefined
      ? ""
      : `<p class="due">${escapeHtml(words.paidAt)} ${momentHtml(language, paidAtMillis)}</p>`
  const shownAmount = amounts[language].format(amount / 100)
  const size = shownAmount.length > longAmountLength ? " long" : ""
  return `<section class="summary" aria-labelledby="seller">${logoHtml(brand)}
<p class="quiet">${escapeHtml(words.payTo)}</p>
<h1 id="seller">${payeeHtml(payee)}</h1>
${orderHtml(charge, words)}<p class="amount${size}" data-testid="pay-amount" data-amount="${amount}">${escapeHtml(shownAmount)}</p>
<p class="pill" role="status" data-testid="pay-status" data-status="${status}">${escapeHtml(words.statuses[status].pill)}</p>
${paid}${dueHtml(charge, language, words)}</section>`
}

/** Says that no money moves. */
export const testHtml = ({ testMode }: Texts): string =>
  `<p class="test" role="note">${escapeHtml(testMode)}</p>`

/** The rule of a seller's colour, if it has one. */
export const colorHtml = ({ color }: ShownCharge["brand"]): string =>
  color === undefined ? "" : `<style>${brandStyle(color).css}</style>`

/**
 * The page of a charge (docs/contract/payment-page.md), which needs no script: with one, it counts down, copies, and turns to paid, and
 * then to refunded, by itself. `place` is its path, from `/pay`. Hostile names are escaped, and isolated from the direction of the text
 * around them.
 */
export const chargePage = (
  charge: ShownCharge,
  language: Language,
  files: PageFiles,
  place: string,
): string => {
  const words = texts[language]
  const { status, mode } = charge
  const isPending = status === "pending"
  const test = mode === "test" ? testHtml(words) : ""
  const action = isPending
    ? codeHtml(charge, words)
    : outcomeHtml(status, words.statuses[status], receiptHtml(charge, language, words, place))
  const later = laterStatuses[status] ?? []
  const turns = later.length > 0
  const offline = isPending
    ? `<p class="offline" id="offline" role="status" hidden>${escapeHtml(words.offline)} <a href="">${escapeHtml(words.reload)}</a>.</p>`
    : ""
  const live = `${offline}${laterHtml(later, words)}`
  const script = turns ? `<script src="${files.script}" defer></script>` : ""
  const body = `${test}<main${turns ? ` data-events="${place}/events"` : ""}><div class="card">${summaryHtml(charge, language, words)}
<section class="action" id="action" aria-live="polite">${action}</section>${isPending ? stepsHtml(words) : ""}</div>${live}</main>`
  const title = words.title(amounts[language].format(charge.amount / 100))
  return documentHtml(language, title, files, body, colorHtml(charge.brand) + script)
}

/** A page that says one thing. */
export const plainPage = (
  words: Pick<StatusTexts, "heading" | "sentence">,
  language: Language,
  files: PageFiles,
  status: TransactionStatus | "unknown" = "unknown",
): string =>
  documentHtml(
    language,
    words.heading,
    files,
    `<main><div class="card alone"><section class="action"><div class="outcome" data-tone="${status}">${iconOf(status)}<h1>${escapeHtml(words.heading)}</h1><p>${escapeHtml(words.sentence)}</p></div></section></div></main>`,
  )

/** The page of a token that leads to no charge. */
export const unknownPage = (language: Language, files: PageFiles): string =>
  plainPage(texts[language].unknown, language, files)

/** Pages load what we serve, call nobody else, are framed by nobody, and run nothing that stands in them. */
export const payPolicy = (styles: string, forms = "'none'"): string =>
  `default-src 'none'; script-src 'self'; style-src ${styles}; img-src data:; connect-src 'self'; base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`

/** The policy of a charge's page, which may have one rule in itself: that of its seller's colour. */
export const policyOf = ({ brand: { color } }: Pick<ShownCharge, "brand">, forms?: "'self'"): string =>
  payPolicy(color === undefined ? "'self'" : `'self' ${brandStyle(color).source}`, forms)

/** Headers of every payment page, and of what stands in its place. */
export const pageHeaders = (language: Language, policy: string): ReplyHeaders => [
  ["Cache-Control", "no-store"],
  ["Content-Language", language],
  ["Content-Security-Policy", policy],
  ["Referrer-Policy", "no-referrer"],
  ["Vary", "Accept-Language"],
  ["X-Robots-Tag", "noindex, nofollow"],
]
