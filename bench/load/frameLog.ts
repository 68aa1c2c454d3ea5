import { createHash } from "node:crypto"

const newline = 0x0a
const frameEnd = Buffer.from("\n\n")
const initialBytes = 8 * 1024

/** Summary of a log: the number of events, and digests of their bytes. */
export interface FrameDigest {
  readonly events: number
  readonly bytes: number
  /** SHA-256 of all bytes, hex. */
  readonly hash: string
  /** The same without lines that begin with `id: `, to compare servers that assign their own ids. */
  readonly hashWithoutIds: string
}

/** The text without its `id: ` lines. */
const withoutIds = (text: string): string => text.replace(/^id: .*\n/gm, "")

/** Digests the frames of `events` events. */
export const digestFrames = (bytes: Uint8Array, events: number): FrameDigest => ({
  events,
  bytes: bytes.length,
  hash: createHash("sha256").update(bytes).digest("hex"),
  hashWithoutIds: createHash("sha256")
    .update(withoutIds(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()))
    .digest("hex"),
})

/**
 * The frames of a feed's events, byte by byte, as its first stream read them. Every other stream is compared with it,
 * which costs next to nothing and proves that each received every event once, in order and complete.
 */
export class FrameLog {
  bytes: Buffer = Buffer.allocUnsafe(initialBytes)
  size = 0
  /** Where each event's frame ends. */
  ends: Array<number> = []

  /** Where the incomplete last frame begins. */
  get #frameStart(): number {
    return this.ends.at(-1) ?? 0
  }

  /** Appends the next bytes up to the end of a frame, and returns how many there were; throws if it is no event. */
  extend(data: Buffer, start: number, end: number): number {
    const closes =
      this.size > this.#frameStart && this.bytes[this.size - 1] === newline && data[start] === newline
    const found = closes ? -1 : data.subarray(start, end).indexOf(frameEnd)
    const isWhole = closes || found >= 0
    const taken = closes ? 1 : isWhole ? found + frameEnd.length : end - start
    this.#reserve(taken)
    data.copy(this.bytes, this.size, start, start + taken)
    this.size += taken
    if (isWhole) this.#close()
    return taken
  }

  /** Clears the log. */
  clear(): void {
    this.size = 0
    this.ends = []
  }

  digest(): FrameDigest {
    return digestFrames(this.bytes.subarray(0, this.size), this.ends.length)
  }

  #close(): void {
    const start = this.#frameStart
    // The id is in one of the first two lines; data may be long.
    const head = this.bytes.toString("latin1", start, Math.min(this.size, start + 200))
    if (!/^(event: \S+\n)?id: \S+\n/.test(head)) throw new Error(`not an event: ${JSON.stringify(head)}`)
    this.ends.push(this.size)
  }

  #reserve(more: number): void {
    if (this.size + more <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.size + more))
    this.bytes.copy(larger, 0, 0, this.size)
    this.bytes = larger
  }
}
