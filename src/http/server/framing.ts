import { ApiError, validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type { Body } from "./route.ts"
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
const lengthRequired = (): ApiError<"length_required"> =>
  new ApiError({
    code: "length_required",
    message: "A request of this method has no body in chunks (Transfer-Encoding). Leave the body out.",
  })

/** The error for a body in more chunks than `limits.bodyChunksMax`. */
export const tooManyChunks = (): ApiError<"payload_too_large"> =>
  new ApiError({
    code: "payload_too_large",
    message: `The body came in more than ${limits.bodyChunksMax} chunks. Send it in larger ones.`,
  })

/** The error for `doubtful` framing. */
const framingDoubtful = (): ApiError<"validation_failed"> =>
  validationFailed(undefined, "The end of this request is ambiguous. Send exactly one Content-Length header.")

/** Methods whose requests have no body that anyone reads. */
const bodiless = new Set(["GET", "HEAD", "OPTIONS"])

/** The error for a request of such framing and method; undefined if its body can be read. */
export const framingRefusal = (framing: "chunked" | "doubtful", method: string): ApiError | undefined => {
  if (framing === "doubtful") return framingDoubtful()
  return bodiless.has(method) ? lengthRequired() : undefined
}

/**
 * Bytes beyond the limit that are read and dropped before we answer 413 and close: if the socket closed while the
 * client is still sending, it would see a reset instead of the answer.
 */
const discardedBytesMax = 16 * limits.bodyBytesMax
/** The same for chunks. */
const discardedChunksMax = 16 * limits.bodyChunksMax

/** The body of a request that has none. */
export const emptyBody = Buffer.alloc(0)

/** A body as it arrives, up to its limits. */
export class IncomingBody {
  #chunks: Array<Buffer> | undefined = undefined
  #receivedBytes = 0
  #receivedChunks = 0
  readonly #isChunked: boolean

  /** `isChunked`: by Transfer-Encoding, so that the number of chunks is limited too. */
  constructor(isChunked: boolean) {
    this.#isChunked = isChunked
  }

  /**
   * Takes the next bytes. Returns the body when it is complete or far too large, and undefined while more is
   * expected.
   */
  take(chunk: ArrayBuffer, last: boolean): Body | undefined {
    this.#receivedBytes += chunk.byteLength
    if (this.#isChunked && chunk.byteLength > 0) this.#receivedChunks += 1
    if (this.#receivedChunks > limits.bodyChunksMax) {
      this.#chunks = undefined
      const isOver = last || this.#receivedChunks > limits.bodyChunksMax + discardedChunksMax
      return isOver ? "tooManyChunks" : undefined
    }
    if (this.#receivedBytes > limits.bodyBytesMax) {
      this.#chunks = undefined
      return last || this.#receivedBytes > limits.bodyBytesMax + discardedBytesMax ? "tooLarge" : undefined
    }
    if (chunk.byteLength > 0) {
      // `chunk` is memory of uWebSockets.js, only valid until we return.
      const copy = Buffer.from(Buffer.from(chunk))
      if (this.#chunks === undefined) this.#chunks = [copy]
      else this.#chunks.push(copy)
    }
    return last ? this.#whole() : undefined
  }

  #whole(): Buffer {
    const chunks = this.#chunks
    if (chunks === undefined) return emptyBody
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
  }
}
