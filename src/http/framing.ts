import type { HttpRequest } from "./uws.ts"

/** How far the end of a request can be told (RFC 9112 6.3). */
export type Framing = "sound" | "malformed" | "doubtful"

/**
 * Judges the framing headers. `malformed`: a length that is no number, which uWebSockets.js refuses by itself, but only
 * after it has called us. `doubtful`: repeated or unusual headers, of which it takes the first in silence where a proxy
 * may take the last; what follows on the connection cannot be trusted. (Both kinds together never reach us.)
 */
export const framingOf = (req: HttpRequest): Framing => {
  const encoding = req.getHeader("transfer-encoding")
  const length = req.getHeader("content-length")
  if (encoding === "" && length === "") return "sound"
  let count = 0
  req.forEach((name) => {
    if (name === "content-length" || name === "transfer-encoding") count++
  })
  if (count !== 1 || (encoding !== "" && encoding.toLowerCase() !== "chunked")) return "doubtful"
  return encoding !== "" || /^\d{1,18}$/.test(length) ? "sound" : "malformed"
}
