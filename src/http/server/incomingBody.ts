import { limits } from "../../../schema/limits.ts"
import type { Body } from "./route.ts"

/**
 * Bytes of a body above its limit that are read and dropped before we answer 413 and close: a client that is still
 * sending when the socket closes sees a reset instead of the answer.
 */
const discardedBytesMax = 16 * limits.bodyBytesMax

const emptyBody = Buffer.alloc(0)

/** A body as it comes in, up to its limit. */
export class IncomingBody {
  #chunks: Array<Buffer> | undefined = undefined
  #receivedBytes = 0

  /** Takes the next bytes. The body, once it is whole, or far too large; undefined while more is to come. */
  take(chunk: ArrayBuffer, last: boolean): Body | undefined {
    this.#receivedBytes += chunk.byteLength
    if (this.#receivedBytes > limits.bodyBytesMax) {
      this.#chunks = undefined
      return last || this.#receivedBytes > limits.bodyBytesMax + discardedBytesMax ? "tooLarge" : undefined
    }
    if (chunk.byteLength > 0) {
      // The memory behind `chunk` is uWebSockets.js' own and goes away when we return.
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
