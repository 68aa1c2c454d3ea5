import type { Route } from "./route.ts"
import type { HttpRequest } from "./uws.ts"

/** No values, for what reads none. */
export const noValues: ReadonlyArray<string> = []

/**
 * Header values in the order of `names` (lower case), "" if absent. Repeated lines are joined as in RFC 9110 5.3 and,
 * for cookies, RFC 9113 8.2.3: HAProxy writes X-Forwarded-For as a line of its own, below one that the caller made
 * up.
 */
const headerValues = (req: HttpRequest, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const values = names.map(() => "")
  req.forEach((name, value) => {
    const index = names.indexOf(name)
    if (index < 0) return
    const before = values[index] ?? ""
    values[index] = before === "" ? value : `${before}${name === "cookie" ? "; " : ", "}${value}`
  })
  return values
}

/** The same, but only from the name at `joinsFrom` on: of those before it, the first line stands for all. */
export const headersOf = (
  req: HttpRequest,
  names: ReadonlyArray<string>,
  joinsFrom: number = names.length,
): ReadonlyArray<string> => {
  if (joinsFrom === 0) return headerValues(req, names)
  if (joinsFrom >= names.length) return names.map((name) => req.getHeader(name))
  const first = names.slice(0, joinsFrom).map((name) => req.getHeader(name))
  return [...first, ...headerValues(req, names.slice(joinsFrom))]
}

/** Alternating names and values of all headers; repeated lines are joined. */
export const allHeaders = (req: HttpRequest): ReadonlyArray<string> => {
  const names = new Set<string>()
  req.forEach((name) => {
    names.add(name)
  })
  const values = headerValues(req, [...names])
  return [...names].flatMap((name, i) => [name, values[i] ?? ""])
}

/** A header's value among alternating names and values; "" where it was not sent. */
export const headerAmong = (headers: ReadonlyArray<string>, name: string): string => {
  const at = headers.findIndex((text, index) => index % 2 === 0 && text === name)
  return at < 0 ? "" : (headers[at + 1] ?? "")
}

/** A header's value among those that were copied for a route; "" where it was not sent, or the route does not read it. */
export const headerOf = (
  {
    route,
    headers,
  }: {
    readonly route: Pick<Route, "headerNames" | "takesAllHeaders">
    readonly headers: ReadonlyArray<string>
  },
  name: string,
): string =>
  route.takesAllHeaders ? headerAmong(headers, name) : (headers[route.headerNames.indexOf(name)] ?? "")

/** The values of a path's parameters. */
export const pathParams = (req: HttpRequest, count: number): ReadonlyArray<string> => {
  if (count === 1) return [req.getParameter(0) ?? ""]
  return Array.from({ length: count }, (_, index) => req.getParameter(index) ?? "")
}
