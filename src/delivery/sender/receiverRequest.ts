import type { Clock } from "effect/Clock"
import type { Dispatcher } from "undici"
import type { ResponseFault } from "../../../schema/names.ts"
import { AnswerFault } from "../../httpClient/answerFault.ts"
import type { ParsedDestination } from "../destination/parseDestination.ts"
import type { Connection, Connections } from "./connections.ts"

const REPLACEMENT_CHARACTER = "\uFFFD"

/**
 * The start of a response body as text that is safe to store and show. Reads at most `bytesMax` bytes, as UTF-8
 * whatever the response declares: a character cut off at the end is dropped, and invalid UTF-8 and NUL become U+FFFD.
 * Never decompresses (docs/contract/deliveries.md#connections).
 */
export const decodeExcerpt = (chunks: ReadonlyArray<Uint8Array>, bytesMax: number): string => {
  const [first] = chunks
  if (first === undefined) return ""
  const bytes = (chunks.length === 1 ? first : Buffer.concat(chunks)).subarray(0, bytesMax)
  // Streaming mode holds back an incomplete character, which is then never read.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true })
  return text.includes("\0") ? text.replaceAll("\0", REPLACEMENT_CHARACTER) : text
}

/** The response head and excerpt, or why there is none. */
export type ReceiverAnswer =
  | {
      readonly kind: "answered"
      readonly statusCode: number
      readonly millis: number
      readonly excerpt: string
    }
  | { readonly kind: "timeout" }
  | { readonly kind: "connection_error" | ResponseFault }

export interface ReceiverRequestOptions {
  readonly connections: Connections
  readonly destination: ParsedDestination
  /** Checked addresses; the request goes only to these. */
  readonly addresses: ReadonlyArray<string>
  readonly headers: Record<string, string>
  readonly body: Buffer
  readonly excerptBytesMax: number
  readonly clock: Clock
}

/** How a socket fails that the receiver closed before our request arrived. */
const STALE_SOCKET_CODES: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"])

/**
 * One request and the part of its response that counts: the head, and the body up to `excerptBytesMax`. Settles once,
 * by response, failure or `expire`, and leaves no connection in use: it is kept if the response was read to its end,
 * else closed.
 */
export class ReceiverRequest implements Dispatcher.DispatchHandler {
  readonly #input: ReceiverRequestOptions
  readonly #settle: (result: ReceiverAnswer) => void
  readonly #startedNanos: bigint
  readonly #chunks: Array<Buffer> = []
  #connection: Connection
  #bytesReceived = 0
  #statusCode: number | null = null
  #millis = 0
  #isSettled = false

  /** Sends the request at once. */
  constructor(input: ReceiverRequestOptions, settle: (result: ReceiverAnswer) => void) {
    this.#input = input
    this.#settle = settle
    this.#startedNanos = input.clock.monotonicTimeNanosUnsafe()
    this.#connection = input.connections.acquire(input.destination, input.addresses)
    this.#dispatch()
  }

  /** Time is up: a head that arrived counts, with the body so far. */
  expire(): ReceiverAnswer {
    const result: ReceiverAnswer =
      this.#statusCode === null ? { kind: "timeout" } : this.#answer(this.#statusCode)
    this.cancel()
    return result
  }

  /** Cancels without a result and closes the connection. Does nothing once settled. */
  cancel(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#input.connections.discard(this.#connection)
  }

  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number): void {
    if (statusCode < 200) return
    this.#statusCode = statusCode
    const nanos = this.#input.clock.monotonicTimeNanosUnsafe() - this.#startedNanos
    this.#millis = Math.round(Number(nanos) / 1_000_000)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytesReceived >= this.#input.excerptBytesMax) return
    this.#chunks.push(chunk)
    this.#bytesReceived += chunk.byteLength
    if (this.#bytesReceived >= this.#input.excerptBytesMax) {
      // The end of the body may be in the bytes now being parsed; then the connection can be kept.
      queueMicrotask(() => this.#finish(false))
    }
  }

  onResponseEnd(): void {
    this.#finish(true)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isSettled) return
    if (this.#statusCode !== null) {
      this.#finish(false)
      return
    }
    if (error instanceof AnswerFault) {
      this.cancel()
      this.#settle({ kind: error.fault })
      return
    }
    // The receiver closed an idle connection as we took it. The request has an Idempotency-Key, so it may be repeated
    // (RFC 9110, section 9.2.2); once, since a new connection cannot be stale.
    if (this.#connection.isReused && isStaleSocket(error)) {
      this.#input.connections.discard(this.#connection)
      this.#connection = this.#input.connections.open(this.#input.destination, this.#input.addresses)
      this.#dispatch()
      return
    }
    this.cancel()
    this.#settle({ kind: "connection_error" })
  }

  #dispatch(): void {
    const { headers, body, destination } = this.#input
    this.#connection.client.dispatch({ method: "POST", path: destination.path, headers, body }, this)
  }

  #finish(isBodyEnded: boolean): void {
    if (this.#isSettled || this.#statusCode === null) return
    this.#isSettled = true
    if (isBodyEnded) this.#input.connections.release(this.#connection)
    else this.#input.connections.discard(this.#connection)
    this.#settle(this.#answer(this.#statusCode))
  }

  #answer(statusCode: number): ReceiverAnswer {
    return {
      kind: "answered",
      statusCode,
      millis: this.#millis,
      excerpt: decodeExcerpt(this.#chunks, this.#input.excerptBytesMax),
    }
  }
}

const isStaleSocket = (error: Error): boolean =>
  "code" in error && typeof error.code === "string" && STALE_SOCKET_CODES.has(error.code)
