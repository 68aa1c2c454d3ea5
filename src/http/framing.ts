import type { HttpRequest } from "./uws.ts"

/**
 * Whether two readers could disagree on where this request ends (RFC 9112 6.3): repeated or unusual framing headers.
 * uWebSockets.js refuses the two kinds together and malformed lengths; of repeated ones it takes the first in silence.
 */
export const hasDoubtfulFraming = (req: HttpRequest): boolean => {
  const encoding = req.getHeader("transfer-encoding")
  if (encoding === "" && req.getHeader("content-length") === "") return false
  let count = 0
  req.forEach((name) => {
    if (name === "content-length" || name === "transfer-encoding") count++
  })
  return count !== 1 || (encoding !== "" && encoding.toLowerCase() !== "chunked")
}
