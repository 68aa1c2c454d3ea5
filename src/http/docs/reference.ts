import type { OpenApiDocument, Operation } from "../../../schema/api/openapiTypes.ts"
import { type Reader, readerDescriptions, readers } from "../../../schema/api/readers.ts"
import { escapeHtml } from "./html.ts"
import { titleOf } from "./page.ts"

/** The reader whose group a section stands in: the first that most of its operations are for. */
const readerOf = (operations: ReadonlyArray<Operation>): Reader => {
  const countOf = (reader: Reader) => operations.filter(({ tags }) => tags.includes(reader)).length
  const most = Math.max(...readers.map(countOf))
  return readers.find((reader) => countOf(reader) === most) ?? "merchant"
}

const groupNames: Readonly<Record<Reader, string>> = {
  merchant: "For merchants (API keys)",
  dashboard: "For dashboards (sessions)",
  operator: "For operators",
  partner: "For acquirers",
}

type Paths = OpenApiDocument["paths"]

const mapOperations = (paths: Paths, map: (operation: Operation) => Operation): Paths =>
  Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, one]) => [method, map(one)])),
    ]),
  )

/**
 * The document as the reference shows it: the guide before it, and its operations by section, grouped by reader, where
 * `/openapi.json` has them by reader alone.
 */
export const referenceDocument = (document: OpenApiDocument, guide: string): object => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const sections = document["x-sections"].map(({ name, description }) => ({
    name,
    description,
    title: titleOf(name),
    reader: readerOf(operations.filter((operation) => operation["x-section"] === name)),
  }))
  const groups = readers.map((reader) => ({
    name: groupNames[reader],
    description: readerDescriptions[reader],
    tags: sections.filter((section) => section.reader === reader).map(({ title }) => title),
  }))
  const { "x-sections": _, webhooks = {}, ...rest } = document
  const { contact: __, ...info } = document.info
  return {
    ...rest,
    info: { ...info, description: `${document.info.description}\n\n${guide}` },
    tags: sections.map(({ title, description }) => ({ name: title, description })),
    "x-tagGroups": groups.filter(({ tags }) => tags.length > 0),
    paths: mapOperations(document.paths, (operation) => ({
      ...operation,
      tags: [titleOf(operation["x-section"] ?? "")],
    })),
    webhooks: mapOperations(webhooks, (operation) => ({ ...operation, tags: [] })),
  }
}

/** Paths of the files of the reference, from `/docs/try`. */
export interface ReferenceFiles {
  readonly bundle: string
  readonly start: string
  readonly style: string
}

/** The page of `/docs/try`: what loads the reference, and links for those without scripts. */
export const referencePage = (
  title: string,
  { bundle, start, style }: ReferenceFiles,
): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} API</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${style}"></head>
<body><header class="bar"><strong>${escapeHtml(title)}</strong><a href="../docs">Start</a><a href="plain">Reference</a><a href="events">Events</a><a href="../openapi.json">OpenAPI</a></header>
<noscript><p class="without-script">This reference needs JavaScript. <a href="plain">The reference</a> shows the same API without it.</p></noscript>
<div id="reference"></div><script src="${bundle}" defer></script><script src="${start}" defer></script></body></html>
`
