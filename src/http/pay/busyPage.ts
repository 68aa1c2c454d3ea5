import { createHash } from "node:crypto"
import { escapeHtml } from "../docs/html.ts"
import { type Language, languageOf } from "../server/language.ts"
import type { ErrorPage } from "../server/reply.ts"
import { iconOf, pageHeaders, payPolicy } from "./page.ts"
import { texts } from "./texts.ts"

/** A page that comes back sooner than this would add to what keeps it away. */
const retrySecondsMin = 5

/** Stands in the page: a service that is busy or stops may not answer a second request for it. */
const style =
  ":root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;font:16px/1.5 system-ui,sans-serif}main{max-width:26rem;padding:24px;text-align:center}.icon{fill:none;stroke:currentcolor;stroke-width:2;opacity:.6}h1{font-size:1.35rem;margin:12px 0}"

const policy = payPolicy(`'sha256-${createHash("sha256").update(style).digest("base64")}'`)

const pageIn = (language: Language): Buffer => {
  const { unavailable, reload } = texts[language]
  return Buffer.from(`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow"><title>${escapeHtml(unavailable.heading)}</title><link rel="icon" href="data:,"><style>${style}</style></head>
<body><main data-testid="pay-busy">${iconOf("expired")}<h1>${escapeHtml(unavailable.heading)}</h1><p role="status">${escapeHtml(unavailable.sentence)} <a href="">${escapeHtml(reload)}</a>.</p></main></body></html>
`)
}

const pages: Readonly<Record<Language, Buffer>> = { "pt-BR": pageIn("pt-BR"), en: pageIn("en") }

/**
 * What payers see while the service is overloaded, stops, or is without its Redis: a page that loads nothing and tries again by
 * itself, without a script, as often as `Retry-After` allows (docs/contract/payment-page.md#the-page).
 */
export const busyPage: ErrorPage = (accepted, status, headers = []) => {
  const language = languageOf(accepted)
  const asked = Number(headers.find(([name]) => name === "Retry-After")?.[1] ?? 0)
  const seconds = String(Math.max(asked, retrySecondsMin))
  return {
    status,
    text: pages[language],
    contentType: "text/html; charset=utf-8",
    headers: [...pageHeaders(language, policy), ["Retry-After", seconds], ["Refresh", seconds]],
  }
}
