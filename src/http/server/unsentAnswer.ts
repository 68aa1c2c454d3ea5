import type { Front } from "./front.ts"
import { type HttpResponse, tryEnd } from "./uws.ts"

/** Time between two attempts: short while the client reads, doubling each time it has taken nothing. */
const waitMillisMin = 4
const waitMillisMax = 256
/** After this much progress the next attempt comes sooner; less is a trickle to a slow client. */
const progressBytes = 16 * 1024

/**
 * An answer that the socket has not taken completely. It alone holds its response until the client has read enough,
 * and nothing is read from the connection meanwhile: a client that does not read delays its own requests and does not
 * cost us memory.
 *
 * While uWebSockets.js does not read from a socket, it reports neither that the socket is writable nor that the
 * client has left. So the answer retries by itself, and gives up when its time is over.
 */
export class UnsentAnswer {
  #response: HttpResponse | undefined
  readonly #front: Front
  readonly #bytes: Uint8Array
  readonly #mustEnd: boolean
  #sentBytes: number
  #waitMillis = waitMillisMin
  #waitedMillis = 0
  #timer: NodeJS.Timeout | undefined = undefined

  /** `bytes` is the whole body; `response` knows how much of it was sent. `mustEnd`: nothing is read after it either. */
  constructor(front: Front, response: HttpResponse, bytes: Uint8Array, mustEnd: boolean) {
    this.#front = front
    this.#response = response
    this.#bytes = bytes
    this.#mustEnd = mustEnd
    this.#sentBytes = response.getWriteOffset()
    front.answerUnsent()
    // Within a callback of uWebSockets.js, its own flush at the end would resume reading.
    setImmediate(() => this.#wait())
  }

  /** The client has left. */
  abandon(): void {
    if (this.#response === undefined) return
    this.#response = undefined
    clearTimeout(this.#timer)
    this.#front.answerGone()
  }

  #wait(): void {
    if (this.#response === undefined) return
    this.#response.pause()
    this.#timer = setTimeout(this.#tryAgain, this.#waitMillis)
  }

  readonly #tryAgain = (): void => {
    const response = this.#response
    if (response === undefined) return
    this.#waitedMillis += this.#waitMillis
    // Reading cannot be resumed once the answer is complete.
    if (!this.#mustEnd) response.resume()
    let isSent = false
    response.cork(() => {
      isSent = tryEnd(response, this.#bytes.subarray(this.#sentBytes), this.#bytes.byteLength)
    })
    if (isSent) {
      this.abandon()
    } else if (this.#waitedMillis >= this.#front.unsentMillis) {
      // Leads to `abandon` by way of onAborted.
      response.close()
    } else {
      this.#adaptWait(response.getWriteOffset())
      this.#wait()
    }
  }

  #adaptWait(sentBytes: number): void {
    const progress = sentBytes - this.#sentBytes
    this.#sentBytes = sentBytes
    if (progress >= progressBytes) this.#waitMillis = Math.max(waitMillisMin, this.#waitMillis / 2)
    else if (progress === 0) this.#waitMillis = Math.min(waitMillisMax, this.#waitMillis * 2)
  }
}
