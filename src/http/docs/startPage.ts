import type { OpenApiDocument } from "../../../schema/api/openapiTypes.ts"
import { chargeSnippets, snippetLanguages } from "../../../schema/snippets.ts"
import type { Language } from "../server/language.ts"
import { escapeHtml, proseHtml } from "./html.ts"
import { titleOf } from "./page.ts"
import { type StartTexts, startTexts } from "./startTexts.ts"
import { styles } from "./styles.ts"

const pre = (text: string): string => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`

/** Programs of which one is shown: the choice needs no script. */
const programsHtml = (baseUrl: string, words: StartTexts): string => {
  const programs = chargeSnippets(baseUrl)
  const choices = snippetLanguages.map(
    ([id, name], index) =>
      `<input type="radio" name="program" id="in-${id}"${index === 0 ? " checked" : ""}><label for="in-${id}">${name}</label>`,
  )
  const texts = snippetLanguages.map(
    ([id]) => `<div class="program" data-of="${id}">${pre(programs[id])}</div>`,
  )
  return `<fieldset class="programs"><legend>${escapeHtml(words.programs)}</legend>${choices.join("")}${texts.join("")}</fieldset>`
}

const commandsOf = (baseUrl: string) => ({
  listen: `export CORRENTE_BASE_URL=${baseUrl}
npx corrente listen --forward-to http://localhost:4000/webhooks
npx corrente trigger transaction.paid`,
  stream: `curl -N ${baseUrl}/events -H "Authorization: Bearer $CORRENTE_API_KEY"`,
  refund: `curl ${baseUrl}/v1/transactions/txn_…/refunds \\
  -H "Authorization: Bearer $CORRENTE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: return-31" \\
  -d '{"amount": 500}'`,
})

const stepsHtml = (baseUrl: string, words: StartTexts, root: string): string => {
  const commands = commandsOf(baseUrl)
  return words.steps
    .map(({ title, text, page, code }, index) => {
      const link =
        page === undefined
          ? ""
          : `<p><a class="act" href="${root}app/${page.path}">${escapeHtml(page.name)}</a></p>`
      const shown =
        code === undefined ? "" : code === "charge" ? programsHtml(baseUrl, words) : pre(commands[code])
      const sentences = text.map((part) => `<p>${proseHtml(part)}</p>`).join("")
      return `<section id="step-${index + 1}"><h2><span class="step">${index + 1}</span> ${escapeHtml(title)}</h2>${sentences}${link}${shown}</section>`
    })
    .join("\n")
}

/** The routes that a key may call, by section, each with the way to its place in the reference. */
const routesHtml = (document: OpenApiDocument, root: string): string => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  return document["x-sections"]
    .flatMap(({ name }) => {
      const rows = operations
        .filter(({ operation }) => operation["x-section"] === name && operation.tags.includes("merchant"))
        .map(
          ({ path, method, operation }) =>
            `<li><a href="${root}docs/plain#${escapeHtml(operation.operationId)}"><span class="method ${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code></a> <span class="meaning" lang="en">${proseHtml(operation.summary ?? "")}</span></li>`,
        )
      return rows.length === 0
        ? []
        : `<h3 lang="en">${escapeHtml(titleOf(name))}</h3><ul class="routes">${rows.join("")}</ul>`
    })
    .join("\n")
}

const ownStyles = `
header.bar { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; align-items: baseline; margin-left: 19rem; padding: 1rem 3rem; border-bottom: 1px solid var(--line) }
header.bar a:last-child { margin-left: auto }
.step { color: var(--quiet) } .act { display: inline-block; padding: .5rem .9rem; border: 1px solid var(--link); border-radius: 6px }
.programs { display: block; min-width: 0; margin: 1rem 0; font-size: 1rem } .programs legend { padding: 0 } .programs label { margin-right: 1rem; cursor: pointer }
.program { display: none }
${snippetLanguages.map(([id]) => `.programs:has(#in-${id}:checked) [data-of="${id}"]`).join(", ")} { display: block }
ul.routes { list-style: none; padding: 0 } ul.routes li { margin: .4rem 0 }
ul.routes a { color: var(--text) } .routes .method { display: inline-block; min-width: 4rem }
@media (max-width: 60rem) { header.bar { margin: 0; padding: 1rem 1.2rem } }
`

/**
 * The page of `/docs`: from a key of the dashboard to a charge that is paid, and all routes of a key. It loads nothing and runs no
 * script; calls are tried on a page of their own. `root` leads from the page to the service's root.
 */
export const startPage = (document: OpenApiDocument, language: Language, root: string): string => {
  const words = startTexts[language]
  const { title } = document.info
  const baseUrl = document.servers[0]?.url ?? ""
  const contents = words.steps.map(
    (step, index) => `<li><a href="#step-${index + 1}">${index + 1}. ${escapeHtml(step.title)}</a></li>`,
  )
  const { name, path, tag } = words.otherLanguage
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} API</title><link rel="icon" href="data:,"><style>${styles}${ownStyles}</style></head>
<body><header class="bar"><a href="${root}docs/try">${escapeHtml(words.tryIt)}</a><a href="${root}docs/plain">${escapeHtml(words.reference)}</a><a href="${root}docs/events">${escapeHtml(words.events)}</a><a href="${root}openapi.json">OpenAPI</a><a href="${root}docs/${path}" lang="${tag}" hreflang="${tag}">${name}</a><a href="${root}app">${escapeHtml(words.dashboard)}</a></header>
<nav aria-label="${escapeHtml(words.contents)}"><strong>${escapeHtml(title)}</strong><ul>${contents.join("")}<li><a href="#routes">${escapeHtml(words.routes)}</a></li></ul></nav><main>
<h1>${escapeHtml(words.title)}</h1><p>${escapeHtml(words.lead)}</p>
${stepsHtml(baseUrl, words, root)}
<section id="routes"><h2>${escapeHtml(words.routes)}</h2><p>${escapeHtml(words.routesText)}</p>${routesHtml(document, root)}</section></main></body></html>`
}
