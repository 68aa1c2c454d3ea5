import type { Socket } from "node:net"
import type { buildConnector } from "undici"
import { AnswerFault, explainError } from "./answerFault.ts"

/** Bytes that the head of an answer may take; the interim answers before it as many (docs/contract/deliveries.md#outcomes). */
export const answerHeadBytesMax = 16 * 1024

const interimHead = /HTTP\/1\.[01] 1(?!01)\d\d[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/y
/** Any beginning of such a head of at least this length. */
const interimBeginning = /^HTTP\/1\.[01] 1(?!01)\d\d[^\r\n]*(?:\r\n[^\r\n]+)*(?:\r(?:\n\r?)?)?$/
const shortestBeginning = "HTTP/1.1 100"
const emptyLine = "\r\n\r\n"
const piecesMax = 64

/** Whether a text may become the head of an interim answer. Anything else is for the parser, which refuses what is malformed. */
const mayBecomeInterim = (text: string): boolean =>
  interimBeginning.test(text + shortestBeginning.slice(text.length))

/** Reads the answers of a connection, whose every write begins a request or goes on with it. */
class AnswerReader {
  readonly #socket: Socket
  readonly #read: () => Buffer | null
  #isHeadDue = true
  /** The start of an answer that may be interim. */
  #held: Buffer | undefined
  #interimBytes = 0
  /** The start of the final answer: little, and only until the next request. */
  #received: Array<Buffer> = []
  #receivedBytes = 0

  constructor(socket: Socket) {
    this.#socket = socket
    this.#read = socket.read.bind(socket)
  }

  beginRequest(): void {
    this.#isHeadDue = true
    this.#held = undefined
    this.#interimBytes = 0
    this.#received = []
    this.#receivedBytes = 0
  }

  /** The start of the final answer, as latin1. */
  readonly received = (): string => Buffer.concat(this.#received).toString("latin1")

  /** The next bytes of a final answer; null while there are none. */
  readonly next = (): Buffer | null => {
    for (;;) {
      const chunk = this.#read()
      if (chunk === null) return null
      if (!this.#isHeadDue) return this.#remember(chunk)
      const final = this.#held === undefined ? this.#withoutInterim(chunk) : this.#withHeld(this.#held, chunk)
      if (this.#interimBytes + (this.#held?.byteLength ?? 0) > answerHeadBytesMax) {
        this.#socket.destroy(new AnswerFault("response_head_too_large"))
        return null
      }
      if (final !== undefined) return this.#remember(final)
    }
  }

  #remember(chunk: Buffer): Buffer {
    if (this.#receivedBytes < answerHeadBytesMax) {
      this.#received.push(chunk)
      this.#receivedBytes += chunk.byteLength
      // Whoever sends single bytes must not make us keep an object for each.
      if (this.#received.length === piecesMax) this.#received = [Buffer.concat(this.#received)]
    }
    return chunk
  }

  /** Looks at an unfinished head anew only where what has come may end it, however small the pieces are. */
  #withHeld(held: Buffer, chunk: Buffer): Buffer | undefined {
    const bytes = Buffer.concat([held, chunk])
    const mayEnd = bytes.includes(emptyLine, Math.max(0, held.byteLength - emptyLine.length))
    if (mayEnd || held.byteLength < shortestBeginning.length) return this.#withoutInterim(bytes)
    this.#held = bytes
    return undefined
  }

  /** What follows the interim answers; undefined while that is not known, and the rest is held. */
  #withoutInterim(bytes: Buffer): Buffer | undefined {
    this.#held = undefined
    if (!mayBecomeInterim(bytes.toString("latin1", 0, shortestBeginning.length)))
      return this.#finalFrom(bytes)
    const text = bytes.toString("latin1")
    let at = 0
    interimHead.lastIndex = 0
    while (interimHead.test(text)) at = interimHead.lastIndex
    this.#interimBytes += at
    const rest = bytes.subarray(at)
    if (!mayBecomeInterim(text.slice(at))) return this.#finalFrom(rest)
    this.#held = rest
    return undefined
  }

  #finalFrom(bytes: Buffer): Buffer {
    this.#isHeadDue = false
    return bytes
  }
}

/**
 * Lets undici read answers as they are sent. Interim ones (1xx) are dropped: it closes the connection on a `100 Continue` that it
 * did not ask for, which a client has to be able to read (RFC 9110, section 15.2). `101 Switching Protocols` stays, and is
 * refused. What its parser refuses ends in an {@link AnswerFault}. Takes a socket before undici does, for one request at a
 * time, whose body is sent along with its head.
 */
export const readingAnswers = <S extends Socket>(socket: S): S => {
  const reader = new AnswerReader(socket)
  socket.read = reader.next
  socket.write = new Proxy(socket.write, {
    apply: (write, _socket, given) => {
      reader.beginRequest()
      return Reflect.apply(write, socket, given)
    },
  })
  const { destroy } = socket
  socket.destroy = (error) =>
    destroy.call(socket, error === undefined ? undefined : explainError(error, reader.received))
  return socket
}

/** A connector whose sockets are {@link readingAnswers}. */
export const connectReadingAnswers =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error === null) callback(null, readingAnswers(socket))
      else callback(error, null)
    })
