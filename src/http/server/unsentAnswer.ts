import type { Front } from "./front.ts"
import { type HttpResponse, tryEnd } from "./uws.ts"

/** Between two tries: short where the client reads, longer each time that it has taken nothing. */
const waitMillisMin = 4
const waitMillisMax = 256
/** A try that got rid of so much comes sooner the next time; less is what trickles to a slow client. */
const progressBytes = 16 * 1024

/**
 * An answer of which the socket has not taken all. It alone holds its response until the client has read enough, and
 * nothing of the connection is read meanwhile: what a client does not read costs it its own requests, not our memory.
 *
 * uWebSockets.js stops telling of a writable socket while it does not read it, so the answer tries again by itself.
 * Nor does it tell then that the client has left: such an answer ends with its time.
 */
export class UnsentAnswer {
  #response: HttpResponse | undefined
  readonly #front: Front
  readonly #bytes: Uint8Array
  #sentBytes: number
  #waitMillis = waitMillisMin
  #waitedMillis = 0
  #timer: NodeJS.Timeout | undefined = undefined

  /** `bytes` is the whole body, of which `response` knows how much has been sent. */
  constructor(front: Front, response: HttpResponse, bytes: Uint8Array) {
    this.#front = front
    this.#response = response
    this.#bytes = bytes
    this.#sentBytes = response.getWriteOffset()
    front.answerUnsent()
    // Within a callback of uWebSockets.js its own flush, at the end, would read on again.
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
    // It cannot be told to read on once the answer is complete.
    response.resume()
    let isSent = false
    response.cork(() => {
      isSent = tryEnd(response, this.#bytes.subarray(this.#sentBytes), this.#bytes.byteLength)
    })
    if (isSent) {
      this.abandon()
    } else if (this.#waitedMillis >= this.#front.unsentMillis) {
      // Ends in `abandon` by way of onAborted.
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
