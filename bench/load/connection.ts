import { connect, type Socket } from "node:net"

/** Called for each complete response. Its body is `bytes` from `start` to `end`, overwritten after the return. */
type OnAnswer = (status: number, bytes: Buffer, start: number, end: number) => void

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
      this.#pending = Buffer.from(bytes)
      return
    }
    const head = bytes.toString("latin1", 0, bodyStart)
    const length = lengthPattern.exec(head)?.[1]
    if (!head.startsWith("HTTP/1.1 ") || length === undefined) {
      throw new Error(`not a response with a Content-Length: ${JSON.stringify(head.slice(0, 200))}`)
    }
    const bodyEnd = bodyStart + Number(length)
    if (bytes.length > bodyEnd) throw new Error("more bytes than the response's Content-Length")
    this.#pending = bytes.length < bodyEnd ? Buffer.from(bytes) : undefined
    if (this.#pending !== undefined) return
    this.#onAnswer(Number(head.slice(statusAt, statusAt + 3)), bytes, bodyStart, bodyEnd)
  }
}

/** A keep-alive connection with at most one request in flight. It has no queue and no timeout. */
export class Connection {
  /** Its number, from 0. Requests are patched in place, in one buffer per connection. */
  readonly slot: number
  /** When the request in flight was sent, or scheduled (`performance.now()`). */
  startedAtMillis = 0
  isBusy = false
  onAnswer: OnAnswer = () => {}
  /** Called once if the connection ends before `close` or receives no valid response; nothing follows. */
  onBroken: (reason: string) => void = () => {}
  readonly #socket: Socket
  #isOver = false

  private constructor(port: number, slot: number) {
    this.slot = slot
    const reader = new ResponseReader((...answer) => {
      this.isBusy = false
      this.onAnswer(...answer)
    })
    const callback = (bytes: number, buffer: Uint8Array): boolean => {
      try {
        reader.read(Buffer.from(buffer.buffer, buffer.byteOffset, bytes))
      } catch (error) {
        this.#break(String(error))
      }
      return true
    }
    // Without `onread`, Node allocates memory for each read.
    const onread = { buffer: new Uint8Array(64 * 1024), callback }
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true, onread })
    this.#socket.on("error", (error) => this.#break(error.message))
    this.#socket.on("close", () => this.#break("the server closed the connection"))
  }

  static open(port: number, slot: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection = new Connection(port, slot)
      connection.onBroken = (reason) => reject(new Error(`port ${port}: ${reason}`))
      connection.#socket.once("connect", () => resolve(connection))
    })
  }

  /** Sends a request; its bytes must not change until the response. */
  send(request: Uint8Array): void {
    this.isBusy = true
    this.#socket.write(request)
  }

  close(): void {
    this.#isOver = true
    this.#socket.destroy()
  }

  #break(reason: string): void {
    if (this.#isOver) return
    this.close()
    this.onBroken(reason)
  }
}
