import { connect, type Socket } from "node:net"
import { type OnAnswer, ResponseReader } from "./responseReader.ts"

const readBytes = 64 * 1024

/** A keep-alive connection with one request under way at most. It has no queue and no timeout. */
export class Connection {
  /** Its number, from 0: requests are patched in place, in a buffer for each connection. */
  readonly slot: number
  /** When the request under way was sent, or scheduled to be (`performance.now()`). */
  startedAtMillis = 0
  onAnswer: OnAnswer = () => {}
  private readonly socket: Socket

  private constructor(slot: number, socket: Socket) {
    this.slot = slot
    this.socket = socket
  }

  /** Connects to a port of this machine; `onBroken` is told when it ends before `close`, or what came is no answer. */
  static open(port: number, slot: number, onBroken: (reason: string) => void): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const reader = new ResponseReader((...answer) => connection.onAnswer(...answer))
      const receive = (bytes: number, buffer: Uint8Array): boolean => {
        try {
          reader.read(Buffer.from(buffer.buffer, buffer.byteOffset, bytes))
        } catch (error) {
          onBroken(String(error))
          socket.destroy()
        }
        return true
      }
      const socket = connect({
        port,
        host: "127.0.0.1",
        noDelay: true,
        // Without it, Node allocates memory for each read.
        onread: { buffer: new Uint8Array(readBytes), callback: receive },
      })
      const connection = new Connection(slot, socket)
      socket.once("connect", () => resolve(connection))
      socket.once("error", (error) => {
        reject(error)
        onBroken(error.message)
      })
      socket.once("close", () => onBroken("the server closed the connection"))
    })
  }

  /** Sends a request; its bytes must stay as they are until the answer. */
  send(request: Uint8Array): void {
    this.socket.write(request)
  }

  close(): void {
    this.socket.removeAllListeners("close")
    this.socket.destroy()
  }
}
