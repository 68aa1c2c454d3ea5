/**
 * How a request finds its route:
 * 1. At the start `register` enters every route, and HEAD beside GET, into uWebSockets.js' router.
 * 2. A known path with another method is refused with 405 and `Allow`, or answered as a preflight. Any other path is 404.
 * 3. A match makes a `RequestExchange` and opens it. From there on the exchange alone owns `res` and `req`.
 */

import { Effect } from "effect"
import { ApiError } from "../../../schema/errors.ts"
import { documentRoute } from "./compressed.ts"
import { RequestExchange } from "./requestExchange.ts"
import { type Cors, preflightHeaders, type Route } from "./route.ts"
import type { ServerState } from "./serverState.ts"
import type { HttpRequest, HttpResponse, TemplatedApp } from "./uws.ts"

type UwsHandler = (res: HttpResponse, req: HttpRequest) => void
type UwsMethod = "get" | "post" | "put" | "patch" | "del"

const uwsMethods: Readonly<Record<string, UwsMethod>> = {
  GET: "get",
  POST: "post",
  PUT: "put",
  PATCH: "patch",
  DELETE: "del",
}

/** A route that only leads to an error. */
export const deadEnd: Route = {
  ...documentRoute("/*", Effect.never),
  method: "*",
  start: () => {
    throw new Error("A dead end has no program")
  },
}

const opens =
  (state: ServerState, route: Route, headOnly: boolean): UwsHandler =>
  (res, req) =>
    new RequestExchange(state, route, headOnly, res, req).open(req)

const isHead = (req: HttpRequest): boolean => req.getCaseSensitiveMethod() === "HEAD"

/** Refuses other methods of a known path, and answers the preflight of a page that may call it. */
const refusesMethod = (
  state: ServerState,
  methods: ReadonlyArray<string>,
  cors: Cors | undefined,
): UwsHandler => {
  const route = { ...deadEnd, cors }
  const error = notAllowed(methods.join(", "))
  const preflight = preflightHeaders(methods)
  return (res, req) => {
    const exchange = new RequestExchange(state, route, isHead(req), res, req)
    if (!exchange.checkFraming(req)) return
    if (exchange.cors !== undefined && req.getCaseSensitiveMethod() === "OPTIONS")
      exchange.answerEmpty(preflight)
    else exchange.refuse(error)
  }
}

const notAllowed = (allow: string): ApiError<"method_not_allowed"> =>
  new ApiError({
    code: "method_not_allowed",
    message: `This path does not support that method. Use ${allow}.`,
    allow,
  })

/** 404. Does not repeat the path: a mistyped one may contain a token. */
export const unknownPath = (): ApiError<"resource_not_found"> =>
  new ApiError({
    code: "resource_not_found",
    message: "There is nothing at this path. See /docs for the routes there are.",
  })

/** Registers routes. HEAD works wherever GET does, except for streams. The router tries every method's tree before the catch-alls. */
export const register = (app: TemplatedApp, state: ServerState, routes: ReadonlyArray<Route>): void => {
  const paths = new Map<string, { readonly methods: Array<string>; readonly cors: Cors | undefined }>()
  for (const route of routes) {
    const method = uwsMethods[route.method]
    if (method === undefined) throw new Error(`No route of method ${route.method} can be registered`)
    const known = paths.get(route.path) ?? { methods: [], cors: route.cors }
    paths.set(route.path, known)
    const { methods } = known
    methods.push(route.method)
    app[method](route.path, opens(state, route, false))
    if (route.method === "GET" && !route.streams) {
      methods.push("HEAD")
      app.head(route.path, opens(state, route, true))
    }
  }
  for (const [path, { methods, cors }] of paths) app.any(path, refusesMethod(state, methods, cors))
  app.any("/*", (res, req) => {
    const exchange = new RequestExchange(state, deadEnd, isHead(req), res, req)
    if (exchange.checkFraming(req)) exchange.refuse(unknownPath())
  })
}
