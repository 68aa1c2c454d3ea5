import { connect, type Socket } from "node:net"
import { ResponseReader } from "./responseReader.ts"

/** The result of one attempt. */
export type Outcome =
  | {
      readonly kind: "answered"
      readonly status: number
      readonly head: string
      readonly body: string
      /** Time since the request was sent on an open connection. */
      readonly openMillis: number
    }
  | { readonly kind: "givenUp" }
  | { readonly kind: "cut"; readonly reason: string }

/** Heads and error bodies are read as text up to this length. */
const textMax = 600

/** A connection that is reused for the next request, and reopened after it was given up or cut. */
export class UserConnection {
  readonly #port: number
  readonly #patienceMillis: number
  #socket: Socket | undefined = undefined
  #sentMillis = 0
  #onOutcome: ((outcome: Outcome) => void) | undefined = undefined

  constructor(port: number, patienceMillis: number) {
    this.#port = port
    this.#patienceMillis = patienceMillis
  }

  /** Sends a request and waits for its response, at most as long as a user's patience. Only one at a time. */
  ask(request: Uint8Array, onOutcome: (outcome: Outcome) => void): void {
    const timer = setTimeout(() => {
      this.close()
      this.#end({ kind: "givenUp" })
    }, this.#patienceMillis)
    this.#onOutcome = (outcome) => {
      clearTimeout(timer)
      onOutcome(outcome)
    }
    const socket = this.#socket ?? this.#open()
    this.#sentMillis = performance.now()
    socket.write(request)
  }

  close(): void {
    // A user who gives up leaves nothing behind: a normal close would keep each port busy for a minute.
    this.#socket?.resetAndDestroy()
    this.#socket = undefined
  }

  #open(): Socket {
    const reader = new ResponseReader((status, bytes, start, end) => {
      const isText = status !== 201
      this.#end({
        kind: "answered",
        status,
        openMillis: performance.now() - this.#sentMillis,
        head: isText ? bytes.toString("latin1", 0, Math.min(start, textMax)) : "",
        body: isText ? bytes.toString("utf8", start, Math.min(end, start + textMax)) : "",
      })
    })
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true })
    // A sudden crowd overflows the kernel's queue of new connections; some retry after a second.
    socket.on("connect", () => {
      this.#sentMillis = performance.now()
    })
    const cut = (reason: string) => {
      if (this.#socket !== socket) return
      this.#socket = undefined
      this.#end({ kind: "cut", reason })
    }
    socket.on("data", (bytes) => {
      try {
        if (this.#socket === socket) reader.read(bytes)
      } catch (error) {
        cut(String(error))
        socket.destroy()
      }
    })
    socket.on("error", (error: NodeJS.ErrnoException) => cut(error.code ?? error.message))
    socket.on("close", () => cut("closed"))
    this.#socket = socket
    return socket
  }

  #end(outcome: Outcome): void {
    const onOutcome = this.#onOutcome
    this.#onOutcome = undefined
    onOutcome?.(outcome)
  }
}
