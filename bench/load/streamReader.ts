import { createHash } from "node:crypto"

const newline = 0x0a
const colon = 0x3a
const carriageReturn = 0x0d
const headEnd = "\r\n\r\n"
const frameEnd = Buffer.from("\n\n")
const nothing = Buffer.alloc(0)

/** When a stream counts as open: at its `ready` frame, or at the response head if the server has no such frame. */
export type ReadyAt = "frame" | "head"

/** Summary of frames: their number, and digests of their bytes. */
export interface FrameDigest {
  readonly events: number
  readonly bytes: number
  readonly hash: string
  /** The same without lines that begin with `id: `, to compare servers that assign their own ids. */
  readonly hashWithoutIds: string
}

const hashOf = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex")

export const digestFrames = (frames: ReadonlyArray<Buffer>): FrameDigest => {
  const bytes = Buffer.concat(frames)
  const withoutIds = bytes.toString().replace(/^id: .*\n/gm, "")
  return {
    events: frames.length,
    bytes: bytes.length,
    hash: hashOf(bytes),
    hashWithoutIds: hashOf(withoutIds),
  }
}

/** What a reader reports. Called while bytes are read, so keep these fast. */
interface StreamListener {
  readonly ready: () => void
  readonly event: () => void
}

/**
 * Reads one `text/event-stream` response over HTTP/1.1, chunked or not, and compares its events, byte for byte, with those of
 * its feed's other streams: the first that gets an event adds it to the log. So each stream is proved to have received every
 * event once, in order and complete. Comments may come between any two frames; any other frame that is no event is an error.
 * Throws if anything is wrong.
 */
export class StreamReader {
  /** Events completed since the last restart. */
  events = 0
  readonly #log: ReadonlyArray<Buffer>
  readonly #add: (frame: Buffer) => void
  readonly #readyAt: ReadyAt
  readonly #listener: StreamListener
  #phase: "head" | "opening" | "events" = "head"
  /** Bytes of the incomplete head or frame. */
  #rest: Buffer = nothing
  #isChunked = false
  /** Remaining bytes of the chunk; 0 while its size is read. */
  #chunkLeft = 0
  #size = ""

  constructor(log: Array<Buffer>, readyAt: ReadyAt, listener: StreamListener) {
    this.#log = log
    this.#add = (frame) => log.push(Buffer.from(frame))
    this.#readyAt = readyAt
    this.#listener = listener
  }

  /** Consumes the next bytes; they may be overwritten after the return. */
  read(data: Buffer): void {
    const body = this.#phase === "head" ? this.#readHead(data) : data
    if (this.#isChunked) this.#readChunks(body)
    else this.#readBody(body)
  }

  /** Begins anew with an empty log. False if the stream has not received all of it. */
  restart(): boolean {
    const hadAll = this.events === this.#log.length && this.#rest.length === 0
    this.events = 0
    return hadAll
  }

  /** Returns the bytes after the head. */
  #readHead(data: Buffer): Buffer {
    const bytes = Buffer.concat([this.#rest, data])
    const at = bytes.indexOf(headEnd)
    this.#rest = at < 0 ? bytes : nothing
    if (at < 0) return nothing
    const head = bytes.toString("latin1", 0, at).toLowerCase()
    if (!head.startsWith("http/1.1 200 ") || !head.includes("content-type: text/event-stream")) {
      throw new Error(`not a stream: ${JSON.stringify(head.slice(0, 300))}`)
    }
    this.#isChunked = head.includes("transfer-encoding: chunked")
    this.#phase = this.#readyAt === "head" ? "events" : "opening"
    if (this.#readyAt === "head") this.#listener.ready()
    return bytes.subarray(at + headEnd.length)
  }

  #readChunks(data: Buffer): void {
    let start = 0
    while (start < data.length) {
      if (this.#chunkLeft > 0) {
        const taken = Math.min(this.#chunkLeft, data.length - start)
        this.#chunkLeft -= taken
        this.#readBody(data.subarray(start, start + taken))
        start += taken
        continue
      }
      const byte = data[start++] ?? 0
      // The line break before a size ends the previous chunk.
      if (byte !== newline && byte !== carriageReturn) this.#size += String.fromCharCode(byte)
      else if (byte === newline && this.#size !== "") {
        this.#chunkLeft = Number.parseInt(this.#size, 16)
        this.#size = ""
        if (!(this.#chunkLeft > 0)) throw new Error("the stream ended")
      }
    }
  }

  #readBody(data: Buffer): void {
    const bytes = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data])
    let from = 0
    for (let at = bytes.indexOf(frameEnd); at >= 0; at = bytes.indexOf(frameEnd, from)) {
      this.#readFrame(bytes.subarray(from, at + frameEnd.length))
      from = at + frameEnd.length
    }
    this.#rest = from === bytes.length ? nothing : Buffer.from(bytes.subarray(from))
  }

  #readFrame(frame: Buffer): void {
    if (frame[0] === colon) return
    const start = () => JSON.stringify(frame.toString("latin1", 0, 200))
    if (this.#phase === "opening") {
      const text = frame.toString("latin1", 0, 13)
      if (text.startsWith("event: ready\n")) {
        this.#phase = "events"
        this.#listener.ready()
      } else if (!text.startsWith("retry: ")) throw new Error(`invalid start of a stream: ${start()}`)
      return
    }
    const known = this.#log[this.events]
    if (known === undefined) {
      // The id is in one of the first two lines.
      const isEvent = /^(event: \S+\n)?id: \S+\n/.test(frame.toString("latin1", 0, 200))
      if (!isEvent) throw new Error(`not an event: ${start()}`)
      this.#add(frame)
    } else if (!frame.equals(known)) {
      throw new Error(`bytes differ from another stream's at event ${this.events}: ${start()}`)
    }
    this.events++
    this.#listener.event()
  }
}
