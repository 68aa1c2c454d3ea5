import { Effect } from "effect"
import {
  type Compressed,
  compress,
  compressedRoute,
  documentRoute,
  keptForEver,
  madeOnce,
} from "../server/compressed.ts"
import type { TextReply } from "../server/reply.ts"
import type { Route } from "../server/route.ts"
import { unknownPath } from "../server/router.ts"
import { appPath } from "./buildFiles.ts"
import type { PagesBuild, PagesFile } from "./pagesBuild.ts"

/** What lies below it is a file or nothing. */
const assetsPath = `${appPath}/assets/`

/** The pages run only our scripts, call only us, and no page of others may frame them. */
const pagesPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

/** Mailed links carry tokens in their query, which other sites must not learn. */
const pageHeaders = [
  ["Content-Security-Policy", pagesPolicy],
  ["Referrer-Policy", "same-origin"],
] as const

const notBuiltPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Corrente</title><link rel="icon" href="data:,"></head>
<body><h1>The dashboard is not built</h1>
<p>Run <code>npm run build</code> in the folder of the service, and start the service again. The API works without it:
see <a href="docs">its documentation</a>.</p>
<p lang="pt-BR">O painel ainda não foi gerado. Execute <code>npm run build</code> e reinicie o serviço.</p></body></html>
`

const notBuilt: TextReply = {
  status: 503,
  text: Buffer.from(notBuiltPage),
  contentType: "text/html; charset=utf-8",
  headers: [...pageHeaders, ["Cache-Control", "no-store"]],
}

const inForms = ({ contentType, sha256, plain, coded }: PagesFile): Compressed => ({
  contentType,
  tag: sha256.slice(0, 32),
  coded: coded.map(([coding, bytes]) => [coding, Effect.succeed(bytes)] as const),
  plain: Effect.succeed(plain),
})

/** The page that loads all others, with links to its files below `prefix`. */
const indexIn = ({ index }: PagesBuild, prefix: string): Compressed => {
  if (prefix === "") return inForms(index)
  const text = Buffer.from(index.plain).toString().replaceAll(`="${appPath}/`, `="${prefix}${appPath}/`)
  return compress(index.contentType, Buffer.from(text))
}

/**
 * From memory, answers cost as little as a refusal would, and whoever operates an overloaded service should see its pages.
 * So their requests wait for nobody's, and count for nobody.
 */
const ofPages = (route: Route, metricsPath: string): Route => ({ ...route, routeClass: "probe", metricsPath })

const pageRoutes = (build: PagesBuild | undefined, prefix: string): ReadonlyArray<Route> => {
  const index = build && madeOnce(Effect.sync(() => indexIn(build, prefix)))
  return [appPath, `${appPath}/*`].map((path) =>
    ofPages(
      index === undefined
        ? documentRoute(path, Effect.succeed(notBuilt))
        : compressedRoute(path, index, "no-cache", pageHeaders),
      `${appPath}/*`,
    ),
  )
}

/** Browsers that ask for the address alone come to the pages; everybody else is told that nothing is there. */
const rootRoute = (prefix: string): Route => ({
  ...documentRoute("/", Effect.never),
  headerNames: ["accept"],
  start: ({ headers: [accepted = ""] }) => {
    const redirect: TextReply = {
      status: 302,
      text: "",
      contentType: "text/html; charset=utf-8",
      headers: [
        ["Location", `${prefix}${appPath}`],
        ["Vary", "Accept"],
        ["Cache-Control", "no-cache"],
      ],
    }
    const wantsPage = accepted.toLowerCase().includes("text/html")
    return Effect.runFork(wantsPage ? Effect.succeed(redirect) : Effect.fail(unknownPath()))
  },
})

const fileRoute = (file: PagesFile): Route => {
  const path = `${appPath}/${file.path}`
  const document = Effect.succeed(inForms(file))
  // The names of these alone have their hash in them.
  return path.startsWith(assetsPath)
    ? ofPages(compressedRoute(path, document, keptForEver), `${assetsPath}*`)
    : ofPages(compressedRoute(path, document, "no-cache"), path)
}

/**
 * `/app` and all below it, which is one page that shows the right one by its address, the files it loads, and `/`, from where
 * browsers are sent there. Without a build, 503 with a page that says what to do. `publicUrl` is where callers reach the
 * service (PUBLIC_URL); its path, if it has one, stands before the links.
 */
export const appRoutes = (
  build: PagesBuild | undefined,
  publicUrl: string | undefined,
): ReadonlyArray<Route> => {
  const prefix = publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "")
  return [
    rootRoute(prefix),
    ...pageRoutes(build, prefix),
    ...(build?.others ?? []).map(fileRoute),
    ofPages(documentRoute(`${assetsPath}*`, Effect.fail(unknownPath())), `${assetsPath}*`),
  ]
}
