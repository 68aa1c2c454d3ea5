import type { HttpRequest } from "./uws.ts"

/**
 * Values of headers in the order of their (lower-case) names, "" where absent. All lines of a repeated one count, joined
 * as RFC 9110 5.3 and, for cookies, RFC 9113 8.2.3 say: HAProxy writes its X-Forwarded-For into a line of its own, below
 * what the caller made up.
 */
export const headerValues = (req: HttpRequest, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const values = names.map(() => "")
  req.forEach((name, value) => {
    const index = names.indexOf(name)
    if (index < 0) return
    const before = values[index] ?? ""
    values[index] = before === "" ? value : `${before}${name === "cookie" ? "; " : ", "}${value}`
  })
  return values
}

/** Names and values of all headers in turns, a repeated one's lines joined. */
export const allHeaders = (req: HttpRequest): ReadonlyArray<string> => {
  const names = new Set<string>()
  req.forEach((name) => {
    names.add(name)
  })
  const values = headerValues(req, [...names])
  return [...names].flatMap((name, i) => [name, values[i] ?? ""])
}

/** The values of a path's parameters, as many as its pattern has. */
export const pathParams = (req: HttpRequest, count: number): ReadonlyArray<string> => {
  if (count === 1) return [req.getParameter(0) ?? ""]
  return Array.from({ length: count }, (_, index) => req.getParameter(index) ?? "")
}
