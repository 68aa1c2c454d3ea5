import { ApiError, validationFailed } from "../../../schema/errors.ts"
import type { HttpRequest } from "./uws.ts"

/** How reliably the end of a request can be found (RFC 9112 6.3). */
export type Framing = "sound" | "chunked" | "malformed" | "doubtful"

let lengthLines = 0
let encodingLines = 0

const countLine = (name: string): void => {
  if (name === "content-length") lengthLines++
  else if (name === "transfer-encoding") encodingLines++
}

/**
 * Checks the framing headers. An empty header reads like an absent one, so all headers are visited.
 *
 * `malformed`: the length is not a number; uWebSockets.js rejects it, but only after calling us. `doubtful`: empty,
 * repeated or unusual headers; uWebSockets.js silently takes the first where a proxy may take the last, so what
 * follows on the connection cannot be trusted. `chunked`: it parses chunk sizes loosely, so that what follows cannot
 * be trusted either. (Length and encoding together never reach us.)
 */
export const framingOf = (req: HttpRequest): Framing => {
  lengthLines = 0
  encodingLines = 0
  req.forEach(countLine)
  if (lengthLines + encodingLines === 0) return "sound"
  if (lengthLines + encodingLines > 1) return "doubtful"
  if (encodingLines === 1) {
    return req.getHeader("transfer-encoding").toLowerCase() === "chunked" ? "chunked" : "doubtful"
  }
  const length = req.getHeader("content-length")
  if (length === "") return "doubtful"
  return /^\d{1,18}$/.test(length) ? "sound" : "malformed"
}

/** The error for a chunked body. */
export const lengthRequired = (): ApiError =>
  new ApiError({
    code: "length_required",
    message: "Send the body with a Content-Length header, not in chunks (Transfer-Encoding).",
  })

/** The error for `doubtful` framing. */
export const framingDoubtful = (): ApiError =>
  validationFailed(undefined, "The end of this request is ambiguous. Send exactly one Content-Length header.")
