import { answerLimits } from "./answerLimits.ts"
import type { Front } from "./front.ts"
import { UnsentAnswer } from "./unsentAnswer.ts"
import type { HttpResponse } from "./uws.ts"

/** Writes an answer as far as the socket takes it, and says whether it is complete. `closes`: and ends the connection. */
type WriteAnswer = (response: HttpResponse, closes: boolean) => boolean

/** The response of one request: it decides when its one answer is written, and sees it sent. */
export class AnswerWriter {
  /** Whether uWebSockets.js waits for us to return: it goes on parsing then. */
  isInCallback = true
  /** Whether we end the connection with the answer. */
  closing: boolean
  readonly #front: Front
  #response: HttpResponse | undefined
  #unsent: UnsentAnswer | undefined = undefined

  constructor(front: Front, response: HttpResponse) {
    this.#front = front
    this.#response = response
    this.closing = front.draining || front.isCrowded
  }

  /** Undefined once it is answered, or the client has left. */
  get open(): HttpResponse | undefined {
    return this.#response
  }

  /** Hands the response over; undefined where it is no more. */
  release(): HttpResponse | undefined {
    const response = this.#response
    this.#response = undefined
    return response
  }

  /** Answers by `write`, unless that was done; what the socket does not take of `body` follows by itself. */
  write(body: string | Uint8Array, headOnly: boolean, write: WriteAnswer): void {
    const response = this.#response
    if (response === undefined) return
    const closes = this.closing || this.#front.draining
    const before = this.isInCallback ? this.#front.answerAtOnce() : 0
    if (before >= answerLimits.perTurnMax || (closes && this.isInCallback)) {
      // A request of the same connection that comes first ends it without an answer.
      this.isInCallback = false
      setImmediate(() => this.write(body, headOnly, write))
      return
    }
    this.#response = undefined
    if (write(response, closes)) return
    if (headOnly) {
      // All is written: it was left open so that no request comes in between.
      this.#response = response
      setImmediate(() => this.#response?.close())
    } else if (before > 0 && response.getWriteOffset() === 0) {
      // Answers of one callback share a buffer of 16 KiB; what flows over while the socket is full may lose a header.
      response.close()
    } else {
      this.#unsent = new UnsentAnswer(this.#front, response, Buffer.from(body))
    }
  }

  /** The client has left. */
  abandon(): void {
    this.#response = undefined
    this.#unsent?.abandon()
  }
}
