import { isSubscribable } from "../../../schema/eventChecks.ts"
import { exampleDelivery } from "../../../schema/eventExamples.ts"
import { type CatalogEntry, eventCatalog } from "../../../schema/events.ts"
import { eventSchemaName } from "../../../schema/resources/catalogEvent.ts"
import { escapeHtml, proseHtml } from "./html.ts"
import { styles } from "./styles.ts"

const reachOf = (event: CatalogEntry): string => {
  if (event.internal) return "In the feed only."
  return isSubscribable(event.type) ? "In the feed, and delivered to whoever subscribes." : "Sent on request."
}

const entryHtml = (event: CatalogEntry): string => `<article id="${escapeHtml(event.type)}">
<h3><code>${escapeHtml(event.type)}</code></h3>
<p>${proseHtml(event.description)} <span class="open">${reachOf(event)}</span></p>
<details><summary>Example</summary><pre tabindex="0"><code>${escapeHtml(JSON.stringify(exampleDelivery(event), null, 2))}</code></pre></details>
<p>Fields: <a href="plain#schema-${eventSchemaName(event.type)}">${eventSchemaName(event.type)}</a></p></article>`

const familyOf = ({ resourceType }: CatalogEntry): string =>
  resourceType.slice(0, 1).toUpperCase() + resourceType.slice(1)

/** The page of `/docs/events`: each type of the catalog, when it happens, and an example of it. It loads nothing. */
export const eventsPage = (title: string): string => {
  const names = [...new Set(eventCatalog.map(familyOf))]
  const families = names.map(
    (name) => [name, eventCatalog.filter((event) => familyOf(event) === name)] as const,
  )
  const contents = families.map(([family, events]) => {
    const links = events.map(({ type }) => `<li><a href="#${type}">${type}</a></li>`)
    return `<h2>${family}</h2><ul>${links.join("")}</ul>`
  })
  const sections = families.map(
    ([family, events]) => `<section><h2>${family}</h2>${events.map(entryHtml).join("\n")}</section>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} events</title><link rel="icon" href="data:,"><style>${styles}
details > summary { cursor: pointer; color: var(--link) } pre { max-width: 100% }</style></head>
<body><nav aria-label="Contents"><strong>${escapeHtml(title)} events</strong>
<ul><li><a href="../docs">Start</a></li><li><a href="plain">Reference</a></li><li><a href="try">Try it</a></li></ul>${contents.join("\n")}</nav><main>
<h1>Events</h1><p>An event is a fact about one resource, with the whole resource as it was then. Read them in the feed
(<code>GET /v1/events</code>, <code>GET /events</code>), or subscribe a webhook endpoint to their types. New types may appear at
any time: ignore those you do not know. <code>GET /v1/event-types</code> has the same with a JSON Schema of each.</p>
${sections.join("\n")}</main></body></html>`
}
