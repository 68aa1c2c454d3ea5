import type { StreamConnection } from "../../src/feed/streamConnection.ts"

/** A frame as a client reads it. */
export interface Frame {
  readonly id?: string
  readonly event?: string
  readonly data?: Record<string, unknown>
  readonly retry?: string
  readonly comment?: string
}

const readFrame = (text: string): Frame => {
  const frame: Record<string, unknown> = {}
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":")
    const name = colon === 0 ? "comment" : line.slice(0, colon)
    const value = line.slice(colon + 2)
    frame[name] = name === "data" ? JSON.parse(value) : value
  }
  return frame
}

/** A connection that records what it gets; while `isStuck` its reader takes nothing. */
export class TestConnection implements StreamConnection {
  isStuck = false
  hasEnded = false
  wasCut = false
  /** The most that was unsent at any time. */
  unsentMax = 0
  writes = 0
  readonly #chunks: Array<Uint8Array> = []
  #read: { readonly chunks: number; readonly frames: ReadonlyArray<Frame> } | undefined
  #unsent = 0
  #isEnding = false
  #drainListeners: Array<() => void> = []
  #endListeners: Array<() => void> = []

  write(bytes: Uint8Array): void {
    if (this.#isEnding || this.hasEnded) return
    this.writes++
    this.#chunks.push(bytes)
    if (this.isStuck) this.#unsent += bytes.length
    this.unsentMax = Math.max(this.unsentMax, this.#unsent)
  }

  unsentBytes(): number {
    return this.#unsent
  }

  whenDrained(listener: () => void): void {
    if (this.hasEnded) return
    if (this.#unsent === 0) listener()
    else this.#drainListeners.push(listener)
  }

  end(): void {
    this.#isEnding = true
    if (this.#unsent === 0) this.#finish()
  }

  cut(): void {
    if (this.hasEnded) return
    this.wasCut = true
    this.#finish()
  }

  onEnded(listener: () => void): void {
    if (this.hasEnded) listener()
    else this.#endListeners.push(listener)
  }

  /** Lets the reader take all that is unsent. */
  drain(): void {
    this.#unsent = 0
    const listeners = this.#drainListeners
    this.#drainListeners = []
    for (const listener of listeners) listener()
    if (this.#isEnding) this.#finish()
  }

  /** Pretends that `bytes` bytes are unsent. */
  pretendUnsent(bytes: number): void {
    this.#unsent = bytes
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString()
  }

  /** Read once for each state of the connection: tests ask again and again. */
  get frames(): ReadonlyArray<Frame> {
    if (this.#read?.chunks !== this.#chunks.length) {
      const frames = this.text.split("\n\n")
      if (frames.pop() !== "") throw new Error("the last frame is not whole")
      this.#read = { chunks: this.#chunks.length, frames: frames.map(readFrame) }
    }
    return this.#read.frames
  }

  /** The `seq` of every event it got. */
  get seqs(): ReadonlyArray<number> {
    return this.frames.flatMap((frame) => (frame.id === undefined ? [] : [Number(frame.data?.seq)]))
  }

  /** Names of control frames, and `ping` for heartbeats. */
  get controls(): ReadonlyArray<string> {
    return this.frames.flatMap((frame) => {
      if (frame.comment !== undefined) return ["ping"]
      if (frame.retry !== undefined) return ["retry"]
      return frame.id === undefined ? [frame.event ?? ""] : []
    })
  }

  #finish(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    for (const listener of this.#endListeners) listener()
  }
}
