import type { Answer } from "./answer.ts"
import type { ErrorPage, ReplyHeaders } from "./reply.ts"
import type { HttpRequest } from "./uws.ts"

/** Whether a browser shows the answer to a person: it says that it reads HTML, and does not ask for a script or a picture. */
const isNavigation = (req: HttpRequest): boolean => {
  if (!req.getHeader("accept").toLowerCase().includes("text/html")) return false
  const mode = req.getHeader("sec-fetch-mode")
  return mode === "" || mode === "navigate"
}

/** How errors of the service's own (5xx) are answered to whoever asks; undefined for callers who get JSON. */
export const errorPageFor = (
  errorPage: ErrorPage | undefined,
  req: HttpRequest,
): ((status: number, headers: ReplyHeaders | undefined) => Answer) | undefined => {
  if (errorPage === undefined || !isNavigation(req)) return undefined
  const accepted = req.getHeader("accept-language")
  return (status, headers) => {
    const { text, ...rest } = errorPage(accepted, status, headers)
    return { ...rest, body: text, headers: rest.headers }
  }
}
