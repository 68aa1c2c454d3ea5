import type { Receipt } from "../../payments/receipts/receipt.ts"
import { escapeHtml } from "../docs/html.ts"
import { brandStyle } from "./brand.ts"
import { documentHtml, type PageFiles, payPolicy, plainPage } from "./page.ts"
import { texts } from "./texts.ts"

/** Files are named from `/pay`, and a receipt stands one folder below. */
const fromBelow = ({ script, style }: PageFiles): PageFiles => ({
  script: `../${script}`,
  style: `../${style}`,
})

const factsHtml = ({ facts }: Receipt): string =>
  facts
    .map(({ label, value, isCode = false }) => {
      const html = isCode ? `<code>${escapeHtml(value)}</code>` : `<bdi>${escapeHtml(value)}</bdi>`
      return `<div><dt>${escapeHtml(label)}</dt><dd>${html}</dd></div>`
    })
    .join("")

/** The page of a receipt (docs/contract/receipts.md#payments), which prints on one sheet and needs no script. */
export const receiptPage = (receipt: Receipt, token: string, files: PageFiles): string => {
  const { language, title, testMode, issuer, shop, amount, footer, logo, color } = receipt
  const words = texts[language].receipt
  const { script, style } = fromBelow(files)
  const test = testMode === undefined ? "" : `<p class="test" role="note">${escapeHtml(testMode)}</p>`
  const picture =
    logo === undefined ? "" : `<img class="logo" src="data:image/png;base64,${logo}" alt="" height="40">`
  const face = shop === undefined ? "" : ` <bdi class="quiet">${escapeHtml(shop)}</bdi>`
  const body = `${test}<main><article class="card alone sheet" data-testid="receipt">${picture}
<p class="shop" data-testid="receipt-issuer"><bdi>${escapeHtml(issuer)}</bdi>${face}</p>
<h1>${escapeHtml(title)}</h1>
<p class="amount" data-testid="receipt-amount">${escapeHtml(amount)}</p>
<section class="receipt" aria-label="${escapeHtml(title)}"><dl>${factsHtml(receipt)}</dl></section>
<p class="quiet">${escapeHtml(footer)}</p>
<div class="keep"><a class="button" href="receipt.pdf" data-testid="receipt-pdf">${escapeHtml(words.pdf)}</a><button type="button" class="plain" id="save" hidden>${escapeHtml(words.print)}</button><button type="button" class="plain" id="share" hidden data-text="${escapeHtml(title)}">${escapeHtml(words.share)}</button></div>
<p class="keep"><a href="../${escapeHtml(token)}">${escapeHtml(words.back)}</a></p></article></main>`
  const own = color === undefined ? "" : `<style>${brandStyle(color).css}</style>`
  const more = `${own}<script src="${script}" defer></script>`
  return documentHtml(language, `${title}: ${issuer}`, { script, style }, body, more)
}

/** The policy of a receipt, which may have one rule in itself: that of its seller's colour. */
export const receiptPolicy = ({ color }: Receipt): string =>
  payPolicy(color === undefined ? "'self'" : `'self' ${brandStyle(color).source}`)

/** The page of a charge without a receipt, or of a token that leads to no charge. */
export const noReceiptPage = (
  reason: "unpaid" | "unknown",
  language: Receipt["language"],
  files: PageFiles,
): string =>
  plainPage(
    reason === "unpaid" ? texts[language].unpaid : texts[language].unknown,
    language,
    fromBelow(files),
  )
