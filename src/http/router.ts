import { ApiError } from "../../schema/errors.ts"
import { Exchange } from "./exchange.ts"
import type { Front } from "./front.ts"
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

/** A way that leads to an error only. */
const deadEnd: Route = {
  method: "*",
  path: "/*",
  paramCount: 0,
  headerNames: [],
  takesQuery: false,
  takesBody: false,
  secured: false,
  streams: false,
  start: () => {
    throw new Error("A dead end has no program")
  },
}

const opens =
  (front: Front, route: Route, headOnly: boolean): UwsHandler =>
  (res, req) =>
    new Exchange(front, route, headOnly, res, req).open(req)

const refuses =
  (front: Front, makeError: (req: HttpRequest) => ApiError): UwsHandler =>
  (res, req) =>
    new Exchange(front, deadEnd, req.getCaseSensitiveMethod() === "HEAD", res, req).refuse(makeError(req))

const notAllowed = (allow: string): ApiError =>
  new ApiError({
    code: "method_not_allowed",
    message: `This path does not take that method. Use ${allow}.`,
    allow,
  })

const unknownPath = (path: string): ApiError =>
  new ApiError({
    code: "resource_not_found",
    message: `There is nothing at ${path.slice(0, 128)}. See /docs for what there is.`,
  })

/**
 * Registers routes on uWebSockets.js' own router. HEAD works where GET does, streams excepted; a known path with
 * another method is 405 with `Allow`, any other path 404: its router tries every method's tree before the catch-alls.
 */
export const register = (app: TemplatedApp, front: Front, routes: ReadonlyArray<Route>): void => {
  const methodsByPath = new Map<string, Array<string>>()
  for (const route of routes) {
    const method = uwsMethods[route.method]
    if (method === undefined) throw new Error(`No route of method ${route.method} can be registered`)
    const methods = methodsByPath.get(route.path) ?? []
    methodsByPath.set(route.path, methods)
    methods.push(route.method)
    app[method](route.path, opens(front, route, false))
    if (route.method === "GET" && !route.streams) {
      methods.push("HEAD")
      app.head(route.path, opens(front, route, true))
    }
  }
  for (const [path, methods] of methodsByPath) {
    const error = notAllowed(methods.join(", "))
    app.any(
      path,
      refuses(front, () => error),
    )
  }
  app.any(
    "/*",
    refuses(front, (req) => unknownPath(req.getUrl())),
  )
}
