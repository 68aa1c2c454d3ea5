import { Effect } from "effect"
import { format } from "effect/observability/PrometheusMetrics"
import { openApiDocument } from "../../../schema/api/openapi.ts"
import { docsPage } from "../docs/page.ts"
import type { TextReply } from "./reply.ts"
import type { Route } from "./route.ts"

/** Nothing may be loaded, run or framed: the page contains its style and no script. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const documentRoute = (path: string, program: Effect.Effect<TextReply>): Route => ({
  method: "GET",
  path,
  paramCount: 0,
  headerNames: [],
  takesAllHeaders: false,
  takesQuery: false,
  takesBody: false,
  secured: false,
  streams: false,
  cors: undefined,
  lane: "work",
  asksAcquirer: false,
  sellerOf: undefined,
  start: () => Effect.runFork(program),
})

/** The process' metrics in Prometheus' text format: for operators, without any seller's data. */
const metrics = Effect.map(
  format(),
  (text): TextReply => ({
    status: 200,
    text,
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    headers: [["Cache-Control", "no-store"]],
  }),
)

/** Renders at the first request and keeps the answer. The contract takes 0.2 s to render: no start should wait for it. */
const renderedOnce = <A>(render: () => A): (() => A) => {
  let rendered: { readonly value: A } | undefined
  return () => {
    rendered ??= { value: render() }
    return rendered.value
  }
}

/**
 * `/metrics`, and `/openapi.json` and `/docs`, which are rendered once, when first asked for. `publicUrl` is where callers
 * reach the service (PUBLIC_URL); without it, the page's examples use `origin`.
 */
export const documentRoutes = (publicUrl: string | undefined, origin: string): ReadonlyArray<Route> => {
  const document = renderedOnce(() => openApiDocument(publicUrl))
  const contract = renderedOnce(
    (): TextReply => ({
      status: 200,
      text: Buffer.from(JSON.stringify(document())),
      contentType: "application/json",
      headers: [["Access-Control-Allow-Origin", "*"]],
    }),
  )
  const page = renderedOnce(
    (): TextReply => ({
      status: 200,
      text: Buffer.from(docsPage(document(), origin)),
      contentType: "text/html; charset=utf-8",
      headers: [["Content-Security-Policy", pagePolicy]],
    }),
  )
  return [
    documentRoute("/openapi.json", Effect.sync(contract)),
    documentRoute("/docs", Effect.sync(page)),
    documentRoute("/metrics", metrics),
  ]
}
