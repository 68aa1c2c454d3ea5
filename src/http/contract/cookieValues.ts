import { parseCookie } from "cookie"
import { limits } from "../../../schema/limits.ts"

/**
 * All values that a `Cookie` header has for a name, in its order, each once; the first `cookiesTriedMax` of them. A name
 * may come several times: pages of sibling domains set cookies that the browser sends beside ours, and even before them
 * (RFC 6265, 8.6).
 */
export const cookieValues = (header: string, name: string): ReadonlyArray<string> => {
  const values = new Set<string>()
  for (const pair of header.split(";")) {
    // The package's parser costs more than this look, and of several values it keeps the first.
    const value = pair.includes(name) ? parseCookie(pair)[name] : undefined
    if (value !== undefined) values.add(value)
    if (values.size === limits.cookiesTriedMax) break
  }
  return [...values]
}
