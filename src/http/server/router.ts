import { Effect } from "effect"
import { ApiError } from "../../../schema/errors.ts"
import { type Cors, preflightHeaders } from "./cors.ts"
import { documentRoute } from "./documentRoute.ts"
import type { Front } from "./front.ts"
import { RequestExchange } from "./requestExchange.ts"
import type { Route } from "./route.ts"
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
  (front: Front, route: Route, headOnly: boolean): UwsHandler =>
  (res, req) =>
    new RequestExchange(front, route, headOnly, res, req).open(req)

const isHead = (req: HttpRequest): boolean => req.getCaseSensitiveMethod() === "HEAD"

/** Refuses other methods of a known path, and answers the preflight of a page that may call it. */
const refusesMethod = (front: Front, methods: ReadonlyArray<string>, cors: Cors | undefined): UwsHandler => {
  const route = { ...deadEnd, cors }
  const error = notAllowed(methods.join(", "))
  const preflight = preflightHeaders(methods)
  return (res, req) => {
    const exchange = new RequestExchange(front, route, isHead(req), res, req)
    if (!exchange.checkFraming(req)) return
    if (exchange.cors !== undefined && req.getCaseSensitiveMethod() === "OPTIONS")
      exchange.answerEmpty(preflight)
    else exchange.refuse(error)
  }
}

const notAllowed = (allow: string): ApiError =>
  new ApiError({
    code: "method_not_allowed",
    message: `This path does not support that method. Use ${allow}.`,
    allow,
  })

/** 404. Does not repeat the path: a mistyped one may contain a token. */
export const unknownPath = (): ApiError =>
  new ApiError({
    code: "resource_not_found",
    message: "There is nothing at this path. See /docs for the routes there are.",
  })

/**
 * Registers routes with uWebSockets.js' router. HEAD works wherever GET does, except for streams. A known path with
 * another method is 405 with `Allow`, any other path is 404: the router tries every method's tree before the
 * catch-alls.
 */
export const register = (app: TemplatedApp, front: Front, routes: ReadonlyArray<Route>): void => {
  const paths = new Map<string, { readonly methods: Array<string>; readonly cors: Cors | undefined }>()
  for (const route of routes) {
    const method = uwsMethods[route.method]
    if (method === undefined) throw new Error(`No route of method ${route.method} can be registered`)
    const known = paths.get(route.path) ?? { methods: [], cors: route.cors }
    paths.set(route.path, known)
    const { methods } = known
    methods.push(route.method)
    app[method](route.path, opens(front, route, false))
    if (route.method === "GET" && !route.streams) {
      methods.push("HEAD")
      app.head(route.path, opens(front, route, true))
    }
  }
  for (const [path, { methods, cors }] of paths) app.any(path, refusesMethod(front, methods, cors))
  app.any("/*", (res, req) => {
    const exchange = new RequestExchange(front, deadEnd, isHead(req), res, req)
    if (exchange.checkFraming(req)) exchange.refuse(unknownPath())
  })
}
