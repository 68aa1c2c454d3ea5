/** Called for each complete response. Its body is `bytes` from `start` to `end`, overwritten after the return. */
export type OnAnswer = (status: number, bytes: Buffer, start: number, end: number) => void

const statusAt = "HTTP/1.1 ".length
const headEnd = Buffer.from("\r\n\r\n")
const lengthPattern = /\r\ncontent-length: *(\d+)/i

/**
 * Reads HTTP/1.1 responses with a Content-Length, one at a time: the next request is sent after a response is complete.
 */
export class ResponseReader {
  readonly #onAnswer: OnAnswer
  #pending: Buffer | undefined = undefined

  constructor(onAnswer: OnAnswer) {
    this.#onAnswer = onAnswer
  }

  /** Consumes the next bytes; throws if they are no such response. `chunk` may be overwritten after the return. */
  read(chunk: Buffer): void {
    const bytes = this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk])
    const bodyStart = bytes.indexOf(headEnd) + headEnd.length
    if (bodyStart < headEnd.length) {
      this.#keep(bytes)
      return
    }
    const head = bytes.toString("latin1", 0, bodyStart)
    const length = lengthPattern.exec(head)?.[1]
    if (!head.startsWith("HTTP/1.1 ") || length === undefined) {
      throw new Error(`not a response with a Content-Length: ${JSON.stringify(head.slice(0, 200))}`)
    }
    const bodyEnd = bodyStart + Number(length)
    if (bytes.length < bodyEnd) {
      this.#keep(bytes)
      return
    }
    if (bytes.length > bodyEnd) throw new Error("more bytes than the response's Content-Length")
    this.#pending = undefined
    this.#onAnswer(Number(head.slice(statusAt, statusAt + 3)), bytes, bodyStart, bodyEnd)
  }

  #keep(bytes: Buffer): void {
    this.#pending = Buffer.from(bytes)
  }
}
