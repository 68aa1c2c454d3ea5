import { answerLimits } from "./answerLimits.ts"
import type { Front } from "./front.ts"
import { UnsentAnswer } from "./unsentAnswer.ts"
import type { HttpResponse } from "./uws.ts"

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
  readonly #front: Front
  #response: HttpResponse | undefined
  #unsent: UnsentAnswer | undefined = undefined

  constructor(front: Front, response: HttpResponse) {
    this.#front = front
    this.#response = response
    this.closing = front.draining || front.isCrowded
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
    const closes = this.closing || this.mustEnd || this.#front.draining
    const before = this.isInCallback ? this.#front.answerAtOnce() : 0
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
      this.#unsent = new UnsentAnswer(this.#front, response, bytes, this.mustEnd)
    }
  }

  /** The client has left. */
  abandon(): void {
    this.#response = undefined
    this.#unsent?.abandon()
  }
}
