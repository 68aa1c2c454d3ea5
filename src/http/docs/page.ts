import type { OpenApiDocument, Operation } from "../../../schema/api/openapiTypes.ts"
import { errorCodes } from "../../../schema/errorCodes.ts"
import { eventCatalog } from "../../../schema/events.ts"
import { escapeHtml, proseHtml } from "./html.ts"
import { operationHtml } from "./operationView.ts"
import { fieldsHtml, typeHtml } from "./schemaView.ts"
import { styles } from "./styles.ts"

interface Entry {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

const entriesOf = (document: OpenApiDocument): ReadonlyArray<Entry> =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  )

/** Turns `secondStep` into `Second step`. */
export const titleOf = (name: string): string =>
  name.slice(0, 1).toUpperCase() + name.slice(1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const navigationHtml = (document: OpenApiDocument, entries: ReadonlyArray<Entry>): string => {
  const link = ({ method, path, operation }: Entry) =>
    `<li><a href="#${escapeHtml(operation.operationId)}"><span class="method ${method}">${method.toUpperCase()}</span><span>${escapeHtml(path)}</span></a></li>`
  const groups = document["x-sections"].map(({ name }) => {
    const links = entries.filter(({ operation }) => operation["x-section"] === name).map(link)
    return `<h2>${escapeHtml(titleOf(name))}</h2><ul>${links.join("")}</ul>`
  })
  const schemas = Object.keys(document.components.schemas).map(
    (name) => `<li><a href="#schema-${escapeHtml(name)}">${escapeHtml(name)}</a></li>`,
  )
  return `<nav aria-label="Contents"><strong>${escapeHtml(document.info.title)}</strong> ${escapeHtml(document.info.version)}
<fieldset><label><input type="radio" name="scheme" checked> auto</label><label><input type="radio" name="scheme" id="light"> light</label><label><input type="radio" name="scheme" id="dark"> dark</label></fieldset>
<h2>Basics</h2><ul><li><a href="../docs">In ten minutes</a></li><li><a href="try">Try it</a></li><li><a href="#start">Start</a></li><li><a href="#errors">Errors</a></li><li><a href="#event-types">Event types</a></li><li><a href="../openapi.json">openapi.json</a></li></ul>
${groups.join("\n")}<h2>Schemas</h2><ul>${schemas.join("")}</ul></nav>`
}

const startHtml = (
  document: OpenApiDocument,
): string => `<section id="start"><h1>${escapeHtml(document.info.title)}</h1>
<p>${proseHtml(document.info.description)}</p>
<p>Send your key as <code>Authorization: Bearer sk_test_…</code>; it names the seller and the mode (<code>live</code> or
<code>test</code>). In <code>test</code> no money moves. Timestamps are ISO 8601 in UTC. Unknown fields in bodies are ignored, and
new fields may appear in answers at any time. Every answer bears <code>X-Request-Id</code>.</p>
<p>A dashboard has a session instead: <code>POST /v1/me/auth/sign-in/email</code> sets the cookie <code>lm.session</code>, which the
routes under <code>/v1/me</code> take, with the mode in <code>X-Mode</code> (<code>live</code>, where it is left out). Sensitive changes answer 403
<code>mfa_required</code> with <code>X-MFA-Step-Up: required</code> until <code>POST /v1/me/auth/step-up</code> has confirmed who asks.</p>
<p>Lists take <code>limit</code> and <code>cursor</code> and answer <code>data</code> and <code>next_cursor</code>. Creating takes an
<code>Idempotency-Key</code>: after a lost connection, send the same request with the same key.</p></section>`

const errorsHtml = (): string => {
  const rows = Object.entries(errorCodes).map(
    ([code, { status, type }]) =>
      `<tr><td><span class="status">${status}</span></td><td><code>${code}</code></td><td><code>${type}</code></td></tr>`,
  )
  return `<section id="errors"><h2>Errors</h2><p>Every error answers <a href="#schema-Error">one envelope</a>; <code>code</code> is stable,
<code>message</code> says what to do. On 409 <code>idempotency_in_progress</code>, 429 and 503, wait <code>Retry-After</code> seconds.</p>
<table><thead><tr><th>Status</th><th>Code</th><th>Type</th></tr></thead><tbody>${rows.join("")}</tbody></table></section>`
}

const eventTypesHtml = (): string => {
  const rows = eventCatalog.map(
    ({ type, description, internal }) =>
      `<tr><td><code>${escapeHtml(type)}</code></td><td>${proseHtml(description)}${internal ? " In the feed only." : ""}</td></tr>`,
  )
  return `<section id="event-types"><h2>Event types</h2><p>New types may appear at any time; ignore those you do not know.</p>
<table><tbody>${rows.join("")}</tbody></table></section>`
}

const schemasHtml = (document: OpenApiDocument): string =>
  Object.entries(document.components.schemas)
    .map(
      ([name, schema]) =>
        `<article id="schema-${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3><p>${proseHtml(schema.description ?? "")}</p>${schema.oneOf === undefined ? fieldsHtml(schema) : `<p>${typeHtml(schema)}</p>`}</article>`,
    )
    .join("\n")

/** Renders the OpenAPI document as one self-contained page without scripts. */
export const docsPage = (document: OpenApiDocument): string => {
  const entries = entriesOf(document)
  const reached = document.servers[0]?.url ?? ""
  const groups = document["x-sections"].map(({ name, description }) => {
    const articles = entries
      .filter(({ operation }) => operation["x-section"] === name)
      .map(({ method, path, operation }) => operationHtml(reached, method, path, operation))
    return `<section><h2>${escapeHtml(titleOf(name))}</h2><p>${proseHtml(description)}</p>${articles.join("\n")}</section>`
  })
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(document.info.title)} API</title><link rel="icon" href="data:,"><style>${styles}</style></head>
<body>${navigationHtml(document, entries)}<main>
${startHtml(document)}${groups.join("\n")}${errorsHtml()}${eventTypesHtml()}
<section><h2>Schemas</h2>${schemasHtml(document)}</section></main></body></html>`
}
