import { ApiError, validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
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
 * be trusted either: its connection ends with its answer. (Length and encoding together never reach us.)
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

/** The error for a chunked body where none belongs. */
const lengthRequired = (): ApiError =>
  new ApiError({
    code: "length_required",
    message: "A request of this method has no body in chunks (Transfer-Encoding). Leave the body out.",
  })

/** The error for a body in more chunks than `limits.bodyChunksMax`. */
export const tooManyChunks = (): ApiError =>
  new ApiError({
    code: "payload_too_large",
    message: `The body came in more than ${limits.bodyChunksMax} chunks. Send it in larger ones.`,
  })

/** The error for `doubtful` framing. */
const framingDoubtful = (): ApiError =>
  validationFailed(undefined, "The end of this request is ambiguous. Send exactly one Content-Length header.")

/** Methods whose requests have no body that anyone reads. */
const bodiless = new Set(["GET", "HEAD", "OPTIONS"])

/** The error for a request of such framing and method; undefined if its body can be read. */
export const framingRefusal = (framing: "chunked" | "doubtful", method: string): ApiError | undefined => {
  if (framing === "doubtful") return framingDoubtful()
  return bodiless.has(method) ? lengthRequired() : undefined
}
