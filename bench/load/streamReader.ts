import type { FrameLog } from "./frameLog.ts"

const newline = 0x0a
const colon = 0x3a
const carriageReturn = 0x0d
const headEnd = "\r\n\r\n"
const openingEnd = "\n\n"

/** When a stream counts as open: at its `ready` frame, or at the response head if the server has no such frame. */
export type ReadyAt = "frame" | "head"

/** What a reader reports. Called while bytes are read, so keep these fast. */
export interface StreamListener {
  readonly ready: () => void
  /** Event `index` is complete. */
  readonly event: (index: number) => void
}

/**
 * Reads one `text/event-stream` response over HTTP/1.1, chunked or not, and compares its events with those of a log.
 * Comments may come between any two frames; any other frame that is no event is an error. Throws if anything is wrong.
 */
export class StreamReader {
  /** Events completed since the log was cleared. */
  events = 0
  readonly #log: FrameLog
  readonly #readyAt: ReadyAt
  readonly #listener: StreamListener
  /** Bytes of the log that this stream has received. */
  #position = 0
  #phase: "head" | "opening" | "events" = "head"
  /** Bytes of the head and the opening frames, until these are complete. */
  #text = ""
  #isChunked = false
  /** Remaining bytes of the chunk; 0 while its size is read. */
  #chunkLeft = 0
  #chunkSize = 0
  #endsLine = false
  #isInComment = false
  #commentEndsLine = false

  constructor(log: FrameLog, readyAt: ReadyAt, listener: StreamListener) {
    this.#log = log
    this.#readyAt = readyAt
    this.#listener = listener
  }

  /** Consumes the next bytes, up to `end`; they may be overwritten after the return. */
  read(data: Buffer, end: number): void {
    const start = this.#phase === "head" ? this.#readHead(data, end) : 0
    if (this.#isChunked) this.#readChunks(data, start, end)
    else this.#readBody(data, start, end)
  }

  /** Continues at the start of the cleared log. False if the stream has not received all of it. */
  restart(logSize: number): boolean {
    const hadAll = this.#position === logSize && !this.#isInComment
    this.#position = 0
    this.events = 0
    return hadAll
  }

  /** Returns where the body begins; `end` while the head is incomplete. */
  #readHead(data: Buffer, end: number): number {
    const before = this.#text.length
    this.#text += data.toString("latin1", 0, end)
    const at = this.#text.indexOf(headEnd)
    if (at < 0) return end
    const head = this.#text.slice(0, at).toLowerCase()
    this.#text = ""
    if (!head.startsWith("http/1.1 200 ") || !head.includes("content-type: text/event-stream")) {
      throw new Error(`not a stream: ${JSON.stringify(head.slice(0, 300))}`)
    }
    this.#isChunked = head.includes("transfer-encoding: chunked")
    this.#phase = this.#readyAt === "head" ? "events" : "opening"
    if (this.#readyAt === "head") this.#listener.ready()
    return at + headEnd.length - before
  }

  #readChunks(data: Buffer, from: number, end: number): void {
    let start = from
    while (start < end) {
      if (this.#chunkLeft > 0) {
        const taken = Math.min(this.#chunkLeft, end - start)
        this.#readBody(data, start, start + taken)
        this.#chunkLeft -= taken
        start += taken
      } else {
        this.#readSize(data[start] ?? 0)
        start++
      }
    }
  }

  /** Consumes a byte of a chunk's size and of the line breaks around it. */
  #readSize(byte: number): void {
    if (byte === carriageReturn) return
    if (byte !== newline) {
      this.#chunkSize = this.#chunkSize * 16 + Number.parseInt(String.fromCharCode(byte), 16)
      if (!Number.isSafeInteger(this.#chunkSize)) throw new Error("invalid chunk size")
      this.#endsLine = true
      return
    }
    // The line break before a size ends the previous chunk.
    if (!this.#endsLine) return
    if (this.#chunkSize === 0) throw new Error("the stream ended")
    this.#chunkLeft = this.#chunkSize
    this.#chunkSize = 0
    this.#endsLine = false
  }

  #readBody(data: Buffer, start: number, end: number): void {
    if (this.#phase === "opening") this.#readOpening(data, start, end)
    else this.#readFrames(data, start, end)
  }

  /** Reads `retry` and `ready`; events follow `ready`. */
  #readOpening(data: Buffer, start: number, end: number): void {
    this.#text += data.toString("latin1", start, end)
    let from = 0
    for (let at = this.#text.indexOf(openingEnd); at >= 0; at = this.#text.indexOf(openingEnd, from)) {
      const frame = this.#text.slice(from, at)
      from = at + openingEnd.length
      if (frame.startsWith("event: ready\n")) {
        const rest = this.#text.length - from
        this.#text = ""
        this.#phase = "events"
        this.#listener.ready()
        this.#readFrames(data, end - rest, end)
        return
      }
      if (!frame.startsWith("retry: ")) throw new Error(`invalid start of a stream: ${JSON.stringify(frame)}`)
    }
    this.#text = this.#text.slice(from)
  }

  #readFrames(data: Buffer, from: number, end: number): void {
    let start = from
    const log = this.#log
    while (start < end) {
      if (this.#isInComment || (data[start] === colon && this.#position === this.#eventStart)) {
        start = this.#passComment(data, start, end)
        continue
      }
      const known = Math.min(end - start, log.size - this.#position)
      if (known === 0) {
        start += this.#advance(log.extend(data, start, end))
      } else if (this.#isSame(data, start, known)) {
        start += this.#advance(known)
      } else {
        start += this.#advance(this.#sameToFrameEnd(data, start, known))
      }
    }
  }

  /** The log's offset at the end of the last complete event. */
  get #eventStart(): number {
    return this.events === 0 ? 0 : (this.#log.ends[this.events - 1] ?? 0)
  }

  #isSame(data: Buffer, start: number, length: number): boolean {
    const { bytes } = this.#log
    return data.compare(bytes, this.#position, this.#position + length, start, start + length) === 0
  }

  /** Compares bytes up to the end of a frame. A comment, which the log does not have, may follow there. */
  #sameToFrameEnd(data: Buffer, start: number, known: number): number {
    const length = Math.min(known, (this.#log.ends[this.events] ?? Number.POSITIVE_INFINITY) - this.#position)
    if (length < known && this.#isSame(data, start, length)) return length
    const seen = JSON.stringify(data.toString("latin1", start, Math.min(start + 120, start + known)))
    throw new Error(`bytes differ from another stream's at event ${this.events}: ${seen}`)
  }

  #advance(length: number): number {
    this.#position += length
    const { ends } = this.#log
    for (let end = ends[this.events]; end !== undefined && end <= this.#position; end = ends[this.events]) {
      this.events++
      this.#listener.event(this.events - 1)
    }
    return length
  }

  /** A comment ends with an empty line. */
  #passComment(data: Buffer, from: number, end: number): number {
    let start = from
    if (!this.#isInComment) this.#commentEndsLine = false
    this.#isInComment = true
    for (; start < end; start++) {
      const isBreak = data[start] === newline
      if (isBreak && this.#commentEndsLine) {
        this.#isInComment = false
        return start + 1
      }
      this.#commentEndsLine = isBreak
    }
    return start
  }
}
