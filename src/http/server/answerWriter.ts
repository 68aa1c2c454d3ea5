import { answerLimits } from "./answer.ts"
import type { ServerState } from "./serverState.ts"
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
class UnsentAnswer {
  #response: HttpResponse | undefined
  readonly #state: ServerState
  readonly #bytes: Uint8Array
  readonly #mustEnd: boolean
  #sentBytes: number
  #waitMillis = waitMillisMin
  #waitedMillis = 0
  #timer: NodeJS.Timeout | undefined = undefined

  /** `bytes` is the whole body; `response` knows how much of it was sent. `mustEnd`: nothing is read after it either. */
  constructor(state: ServerState, response: HttpResponse, bytes: Uint8Array, mustEnd: boolean) {
    this.#state = state
    this.#response = response
    this.#bytes = bytes
    this.#mustEnd = mustEnd
    this.#sentBytes = response.getWriteOffset()
    state.answerUnsent()
    // Within a callback of uWebSockets.js, its own flush at the end would resume reading.
    setImmediate(() => this.#wait())
  }

  /** The client has left. */
  abandon(): void {
    if (this.#response === undefined) return
    this.#response = undefined
    clearTimeout(this.#timer)
    this.#state.answerGone()
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
    } else if (this.#waitedMillis >= this.#state.unsentMillis) {
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

/**
 * Writes as much of an answer as the socket takes, and returns whether it is complete. `closes`: also end the
 * connection.
 */
type WriteAnswer = (response: HttpResponse, closes: boolean) => boolean

/** The response of one request: decides when its only answer is written, and sees that it is sent. */
export class AnswerWriter {
  /** Whether we are within a callback of uWebSockets.js, after which it goes on parsing. */
  isInCallback = true
  /** Whether we end the connection with the answer. */
  closing: boolean
  /**
   * Whether nothing more may be read from the connection: what is behind the request may be no request. uWebSockets.js would read on
   * while it sends what the socket did not take at once, and after an answer whose end it leaves to the client.
   */
  mustEnd = false
  readonly #state: ServerState
  #response: HttpResponse | undefined
  #unsent: UnsentAnswer | undefined = undefined

  constructor(state: ServerState, response: HttpResponse) {
    this.#state = state
    this.#response = response
    this.closing = state.draining || state.isCrowded
  }

  /** The response until it is answered or the client has left. */
  get open(): HttpResponse | undefined {
    return this.#response
  }

  /** Hands the response over; undefined if it is gone. */
  release(): HttpResponse | undefined {
    const response = this.#response
    this.#response = undefined
    return response
  }

  /** Answers by `write` unless that was done already. What the socket does not take of `body` is sent later. */
  write(body: string | Uint8Array, headOnly: boolean, write: WriteAnswer): void {
    const response = this.#response
    if (response === undefined) return
    const closes = this.closing || this.mustEnd || this.#state.draining
    const before = this.isInCallback ? this.#state.answerAtOnce() : 0
    if (before >= answerLimits.perTurnMax || (closes && this.isInCallback)) {
      // If an earlier request on the same connection ends it meanwhile, this one gets no answer.
      this.isInCallback = false
      setImmediate(() => this.write(body, headOnly, write))
      return
    }
    this.#response = undefined
    if (this.mustEnd) response.pause()
    if (write(response, closes)) return
    if (headOnly) {
      // Everything is written; it was left open so that no other request gets in between.
      this.#response = response
      setImmediate(() => this.#response?.close())
    } else if (before > 0 && response.getWriteOffset() === 0) {
      // Answers of one callback share a buffer of 16 KiB; if it overflows while the socket is full, a header may be
      // lost.
      response.close()
    } else {
      const bytes = typeof body === "string" ? Buffer.from(body) : body
      this.#unsent = new UnsentAnswer(this.#state, response, bytes, this.mustEnd)
    }
  }

  /** The client has left. */
  abandon(): void {
    this.#response = undefined
    this.#unsent?.abandon()
  }
}
