import { connect, type Socket } from "node:net"
import { type OnAnswer, ResponseReader } from "./responseReader.ts"

const readBytes = 64 * 1024

/** A keep-alive connection with at most one request in flight. It has no queue and no timeout. */
export class Connection {
  /** Its number, from 0. Requests are patched in place, in one buffer per connection. */
  readonly slot: number
  /** When the request in flight was sent, or scheduled (`performance.now()`). */
  startedAtMillis = 0
  /** Whether a request is in flight. */
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
    const receive = (bytes: number, buffer: Uint8Array): boolean => {
      try {
        reader.read(Buffer.from(buffer.buffer, buffer.byteOffset, bytes))
      } catch (error) {
        this.#break(String(error))
      }
      return true
    }
    this.#socket = connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      // Without it, Node allocates memory for each read.
      onread: { buffer: new Uint8Array(readBytes), callback: receive },
    })
    this.#socket.on("error", (error) => this.#break(error.message))
    this.#socket.on("close", () => this.#break("the server closed the connection"))
  }

  /** Connects to a port of this machine. */
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
