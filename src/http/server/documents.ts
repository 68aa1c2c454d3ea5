import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { openApiDocument } from "../../../schema/api/openapi.ts"
import { openApiPart } from "../../../schema/api/openapiPart.ts"
import type { OpenApiDocument } from "../../../schema/api/openapiTypes.ts"
import { readers } from "../../../schema/api/readers.ts"
import { eventsPage } from "../docs/eventsPage.ts"
import { tenMinuteGuide } from "../docs/guide.ts"
import { docsPage } from "../docs/page.ts"
import { referenceDocument, referencePage } from "../docs/reference.ts"
import { startPage } from "../docs/startPage.ts"
import {
  type Compressed,
  compress,
  compressedRoute,
  documentRoute,
  keptForEver,
  madeOnce,
  stored,
} from "./compressed.ts"
import { languageOf } from "./language.ts"
import type { ReplyHeaders, TextReply } from "./reply.ts"
import type { Route } from "./route.ts"

/** Nothing may be loaded, run or framed: such a page contains its style and no script. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * The reference runs the scripts that we serve, and calls nobody but us. Its library puts styles into the page
 * (`docs/decisions/0080-api-reference.md`).
 */
const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const pageHeaders = (policy: string): ReplyHeaders => [
  ["Content-Security-Policy", policy],
  ["Referrer-Policy", "no-referrer"],
]

/** Renders at the first request and keeps the answer. The contract takes 0.3 s to render: no start should wait for it. */
const renderedOnce = <A>(render: () => A): (() => A) => {
  let rendered: { readonly value: A } | undefined
  return () => {
    rendered ??= { value: render() }
    return rendered.value
  }
}

/** A document of `/openapi.json`'s kind, which any page may read. */
const contractRoute = (path: string, document: () => OpenApiDocument): Route => {
  const reply = renderedOnce(
    (): TextReply => ({
      status: 200,
      text: Buffer.from(JSON.stringify(document())),
      contentType: "application/json",
      headers: [["Access-Control-Allow-Origin", "*"]],
    }),
  )
  return documentRoute(path, Effect.sync(reply))
}

const htmlType = "text/html; charset=utf-8"
const fileOf = (name: string): URL => new URL(`../docs/reference/${name}`, import.meta.url)

/** A file of the reference by its path, which names its bytes: whoever has it never asks again. */
const fileRoute = (name: string, document: Compressed) => {
  const path = `docs/files/${document.tag}/${name}`
  return {
    path,
    route: compressedRoute(`/${path}`, Effect.succeed(document), keptForEver),
  }
}

/** A page that loads nothing and runs no script. */
const staticPage = (render: () => string, headers: ReplyHeaders = []) =>
  renderedOnce(
    (): TextReply => ({
      status: 200,
      text: Buffer.from(render()),
      contentType: htmlType,
      headers: [...pageHeaders(pagePolicy), ...headers],
    }),
  )

/** `/docs`, in the language that the browser prefers. */
const startRoute = (whole: () => OpenApiDocument): Route => {
  const vary: ReplyHeaders = [["Vary", "Accept-Language"]]
  const pages = {
    "pt-BR": staticPage(() => startPage(whole(), "pt-BR", ""), vary),
    en: staticPage(() => startPage(whole(), "en", ""), vary),
  }
  return {
    ...documentRoute("/docs", Effect.never),
    headerNames: ["accept-language"],
    start: ({ headers: [accepted = ""] }) => Effect.runFork(Effect.sync(pages[languageOf(accepted)])),
  }
}

/** `/docs` and the pages below it, and what they load (`docs/decisions/0080-api-reference.md`). */
const docsRoutes = (whole: () => OpenApiDocument): ReadonlyArray<Route> => {
  const { sha256 } = JSON.parse(readFileSync(fileOf("source.json"), "utf8")) as { readonly sha256: string }
  const script = "text/javascript; charset=utf-8"
  const read = () => readFile(fileOf("api-reference.js.gz"))
  const bundle = fileRoute("api-reference.js", stored(script, sha256, read))
  const start = fileRoute("start.js", compress(script, readFileSync(fileOf("start.js"))))
  const style = fileRoute("page.css", compress("text/css; charset=utf-8", readFileSync(fileOf("page.css"))))
  /** From `/docs/try`. */
  const below = (path: string) => path.slice("docs/".length)
  const files = { bundle: below(bundle.path), start: below(start.path), style: below(style.path) }
  const page = renderedOnce(
    (): TextReply => ({
      status: 200,
      text: Buffer.from(referencePage(whole().info.title, files)),
      contentType: htmlType,
      headers: pageHeaders(referencePolicy),
    }),
  )
  const document = madeOnce(
    Effect.map(
      Effect.promise(() => readFile(new URL("../../../docs/guide.md", import.meta.url), "utf8")),
      (text) =>
        compress(
          "application/json",
          Buffer.from(JSON.stringify(referenceDocument(whole(), tenMinuteGuide(text)))),
        ),
    ),
  )
  return [
    startRoute(whole),
    documentRoute("/docs/pt", Effect.sync(staticPage(() => startPage(whole(), "pt-BR", "../")))),
    documentRoute("/docs/en", Effect.sync(staticPage(() => startPage(whole(), "en", "../")))),
    documentRoute("/docs/try", Effect.sync(page)),
    ...[bundle, start, style].map(({ route }) => route),
    compressedRoute("/docs/openapi.json", document, "no-cache"),
    documentRoute("/docs/events", Effect.sync(staticPage(() => eventsPage(whole().info.title)))),
    documentRoute("/docs/plain", Effect.sync(staticPage(() => docsPage(whole())))),
  ]
}

/**
 * `/openapi.json`, its parts (`/openapi/merchant.json` and so on) and `/docs`, each rendered once, when
 * first asked for. `publicUrl` is where callers reach the service (PUBLIC_URL); without it, that is `origin`.
 */
export const documentRoutes = (publicUrl: string | undefined, origin: string): ReadonlyArray<Route> => {
  const whole = renderedOnce(() => openApiDocument(publicUrl ?? origin))
  return [
    contractRoute("/openapi.json", whole),
    ...readers.map((reader) => contractRoute(`/openapi/${reader}.json`, () => openApiPart(whole(), reader))),
    ...docsRoutes(whole),
  ]
}
