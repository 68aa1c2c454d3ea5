import net from "node:net"
import { parseResponses, type RawResponse } from "../http/rawClient.ts"

/** A socket that reads nothing until `read` is called. */
export class LazyClient {
  closed = false
  readonly #socket: net.Socket
  readonly #chunks: Array<Buffer> = []

  constructor(port: number) {
    this.#socket = net.connect(port, "127.0.0.1")
    this.#socket.setNoDelay(true)
    this.#socket.setMaxListeners(0)
    this.#socket.pause()
    this.#socket.on("error", () => {})
    this.#socket.on("close", () => {
      this.closed = true
    })
  }

  /** Resolves when the system has taken the bytes, or the connection has ended. */
  send(bytes: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.closed) return resolve()
      this.#socket.once("close", () => resolve())
      this.#socket.write(bytes, () => resolve())
    })
  }

  /** Reads from now on; resolves with all answers once there are `count`, or the connection has ended. */
  read(count: number, headOnly = false): Promise<ReadonlyArray<RawResponse>> {
    return new Promise((resolve) => {
      const all = () => parseResponses(Buffer.concat(this.#chunks), headOnly).responses
      let seen = 0
      this.#socket.on("data", (chunk) => {
        this.#chunks.push(chunk)
        seen += chunk.toString("latin1").split("HTTP/1.1 ").length - 1
        if (seen < count) return
        const responses = all()
        if (responses.length >= count) resolve(responses)
      })
      this.#socket.once("close", () => resolve(all()))
      this.#socket.resume()
    })
  }

  close(): void {
    this.#socket.destroy()
  }
}
