import { limits } from "../../../schema/limits.ts"
import type { Body } from "./route.ts"

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
