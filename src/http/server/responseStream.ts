import { Cause } from "effect"
import type { StreamConnection } from "../../feed/streamConnection.ts"
import type { ServerState } from "./serverState.ts"
import type { HttpResponse } from "./uws.ts"

/**
 * Most bytes given to uWebSockets.js at once: a whole live chunk, since each write costs system calls. It bounds what
 * uWebSockets.js may buffer uncounted, because it reports a full socket only at the next write.
 */
const sliceBytesMax = 64 * 1024
/** Bytes written to find out whether a full socket takes more; they leave our queue whatever the answer. */
const probeBytes = 64

const nothing = (): void => {}
const none: Array<Uint8Array> = []

/**
 * A {@link StreamConnection} over a response, from `begin` on. It has no fiber and no timer.
 *
 * uWebSockets.js buffers without limit and reports it only by `write` returning false, so bytes wait in our queue:
 * after a false, only probes are written until one returns true. What uWebSockets.js itself holds, at most three
 * slices, is not counted. It closes a socket that takes nothing for 10 s.
 */
export class ResponseStream implements StreamConnection {
  #response: HttpResponse | undefined
  readonly #state: ServerState
  #queue: Array<Uint8Array> = none
  #queuedBytes = 0
  #blocked = false
  #dirty = false
  #ending = false
  #drainListeners: Array<() => void> | undefined = undefined
  #endListeners: Array<() => void> | undefined = undefined

  /** `response` is undefined if the client has left already. */
  constructor(state: ServerState, response: HttpResponse | undefined) {
    this.#state = state
    this.#response = response
    if (response !== undefined) state.streamOpened()
    // Without this, uWebSockets.js drains by itself and then closes the stream if nothing is written for 10 s.
    response?.onWritable(() => this.#writable())
  }

  write(bytes: Uint8Array): void {
    if (this.#response === undefined || this.#ending || bytes.byteLength === 0) return
    if (this.#queue === none) this.#queue = [bytes]
    else this.#queue.push(bytes)
    this.#queuedBytes += bytes.byteLength
    this.#markDirty()
  }

  unsentBytes(): number {
    return this.#queuedBytes
  }

  whenDrained(listener: () => void): void {
    if (this.#response === undefined) return
    if (this.#queuedBytes === 0) listener()
    else if (this.#drainListeners === undefined) this.#drainListeners = [listener]
    else this.#drainListeners.push(listener)
  }

  end(): void {
    if (this.#response === undefined || this.#ending) return
    this.#ending = true
    this.#markDirty()
  }

  cut(): void {
    // Leads to `markEnded` by way of onAborted.
    this.#response?.close()
  }

  onEnded(listener: () => void): void {
    if (this.#response === undefined) listener()
    else if (this.#endListeners === undefined) this.#endListeners = [listener]
    else this.#endListeners.push(listener)
  }

  /** The socket is gone, or the answer is complete. */
  markEnded(): void {
    if (this.#response === undefined) return
    this.#response = undefined
    this.#queue = none
    this.#queuedBytes = 0
    this.#drainListeners = undefined
    const listeners = this.#endListeners
    this.#endListeners = undefined
    if (listeners !== undefined) this.#tell(listeners)
    this.#state.streamEnded()
  }

  /** Writes the head, and what was written until now, in one write to the socket. */
  begin(writeHead: (response: HttpResponse) => void): void {
    const response = this.#response
    response?.cork(() => {
      writeHead(response)
      this.flush()
    })
  }

  /** Writes the queued bytes, if the socket takes them. */
  flush(): void {
    this.#dirty = false
    if (this.#response !== undefined && !this.#blocked) this.#pump()
  }

  #markDirty(): void {
    if (this.#dirty) return
    this.#dirty = true
    this.#state.streamWritten(this)
  }

  #pump(): void {
    while (this.#queuedBytes > 0) {
      if (this.#hand(sliceBytesMax)) continue
      this.#blocked = true
      return
    }
    this.#drained()
  }

  #writable(): boolean {
    const response = this.#response
    if (response === undefined) return true
    // An empty cork makes uWebSockets.js flush its own buffer.
    response.cork(nothing)
    if (!this.#blocked || (this.#queuedBytes > 0 && !this.#hand(probeBytes))) return true
    this.#blocked = false
    this.#pump()
    return true
  }

  #drained(): void {
    const listeners = this.#drainListeners
    this.#drainListeners = undefined
    if (this.#ending) this.#finish()
    else if (listeners !== undefined) this.#tell(listeners)
  }

  /** A listener that throws must not stop other listeners, nor the other streams of this turn. */
  #tell(listeners: ReadonlyArray<() => void>): void {
    for (const listener of listeners) {
      try {
        listener()
      } catch (defect) {
        this.#state.reportDefect("A listener of an event stream", Cause.die(defect))
      }
    }
  }

  #finish(): void {
    const response = this.#response
    if (response === undefined) return
    // Closing here as well would write a header into the body.
    response.cork(() => response.end())
    this.markEnded()
  }

  /** Writes the next bytes, at most `bytesMax`; false if uWebSockets.js had to buffer some of them. */
  #hand(bytesMax: number): boolean {
    const bytes = this.#take(bytesMax)
    let accepted = true
    const response = this.#response
    response?.cork(() => {
      accepted = response.write(bytes)
    })
    return accepted
  }

  #take(bytesMax: number): Uint8Array {
    const [first] = this.#queue
    if (this.#queue.length === 1 && first !== undefined && first.byteLength <= bytesMax) {
      this.#queue = none
      this.#queuedBytes = 0
      return first
    }
    const parts: Array<Uint8Array> = []
    let bytes = 0
    let index = 0
    for (; index < this.#queue.length && bytes < bytesMax; index++) {
      const part = this.#queue[index] as Uint8Array
      const room = bytesMax - bytes
      if (part.byteLength > room) {
        parts.push(part.subarray(0, room))
        this.#queue[index] = part.subarray(room)
        bytes += room
        break
      }
      parts.push(part)
      bytes += part.byteLength
    }
    this.#queue = index === this.#queue.length ? none : this.#queue.slice(index)
    this.#queuedBytes -= bytes
    return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts, bytes)
  }
}
