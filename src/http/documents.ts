import { Effect } from "effect"
import { openApiDocument } from "../../schema/api/openapi.ts"
import { docsPage } from "./docs/page.ts"
import type { TextReply } from "./request.ts"
import type { Route } from "./route.ts"

/** Nothing may be loaded or run: the page holds its style and no script. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

const documentRoute = (path: string, reply: TextReply): Route => {
  const program = Effect.succeed(reply)
  return {
    method: "GET",
    path,
    paramCount: 0,
    headerNames: [],
    takesQuery: false,
    takesBody: false,
    secured: false,
    streams: false,
    cors: undefined,
    start: () => Effect.runFork(program),
  }
}

/**
 * `/openapi.json` and `/docs`, rendered once. `publicUrl` is where callers reach the service (PUBLIC_URL); without it the
 * page's examples name `origin`.
 */
export const documentRoutes = (publicUrl: string | undefined, origin: string): ReadonlyArray<Route> => {
  const document = openApiDocument(publicUrl)
  return [
    documentRoute("/openapi.json", {
      status: 200,
      text: JSON.stringify(document),
      contentType: "application/json",
      headers: [["Access-Control-Allow-Origin", "*"]],
    }),
    documentRoute("/docs", {
      status: 200,
      text: docsPage(document, origin),
      contentType: "text/html; charset=utf-8",
      headers: [
        ["Content-Security-Policy", pagePolicy],
        ["X-Content-Type-Options", "nosniff"],
      ],
    }),
  ]
}
