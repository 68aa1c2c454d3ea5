/** A process that follows many event streams over raw sockets, and compares what they receive. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { monotonicMillis } from "./clock.ts"
import { serveParent } from "./serveParent.ts"
import { digestFrames, type FrameDigest, type ReadyAt, StreamReader } from "./streamReader.ts"

interface StreamTarget {
  /** Identifies the feed in its group. */
  readonly feed: string
  /** The complete request that opens a stream. */
  readonly request: string
  readonly streams: number
}

interface OpenOptions {
  readonly port: number
  readonly targets: ReadonlyArray<StreamTarget>
  readonly readyAt: ReadyAt
  /** Spreads connections over 127.0.0.1, 127.0.0.2 and so on: finding a free port of one busy address is slow. */
  readonly sourceAddresses: number
}

/** Groups of streams are independent of each other. */
export type StreamClientRequest = { readonly group: string } & (
  | /** Opens more streams in a group; answers once all are open. */
  ({ readonly kind: "open" } & OpenOptions)
  /** Waits until each stream of the group has received that many events since it was opened or last taken. */
  | { readonly kind: "await"; readonly events: number; readonly timeoutMillis: number }
  /** Returns what was received, with the events themselves if it `isWhole`, and forgets it. */
  | { readonly kind: "take"; readonly isWhole?: boolean }
  /** Closes all streams. */
  | { readonly kind: "close" }
)

interface FeedFrames extends FrameDigest {
  /** Streams that received all these events once, in order, byte for byte the same. */
  readonly completeStreams: number
  /** When events arrived at the first few streams, on the monotonic clock. */
  readonly arrivalsMillis: ReadonlyArray<ReadonlyArray<number>>
  readonly frames: ReadonlyArray<string>
}

export interface StreamClientAnswer {
  readonly streams: number
  /** When the first stream of the last `open` was requested, and when its last was open. */
  readonly openingMillis: number
  readonly openMillis: number
  /** When the last event was complete, at any of them. */
  readonly lastEventMillis: number
  readonly feeds: ReadonlyArray<FeedFrames>
  /** The first few problems: refused, ended, or bytes that differ from another stream's. */
  readonly problems: ReadonlyArray<string>
}

/** One buffer for all reads, which run one after the other: one per socket would take gigabytes. */
const readBuffer = Buffer.allocUnsafe(256 * 1024)
const openingMax = 64
const openTimeoutMillis = 60_000
const problemsKeptMax = 5
/** Streams of a feed whose arrivals are recorded, event by event. */
const timedStreams = 4

/** A feed's events as its streams received them since they were last taken. */
interface Feed {
  readonly log: Array<Buffer>
  readonly readers: Array<StreamReader>
  readonly arrivals: Array<Array<number>>
}

const takeFeed = ({ log, readers, arrivals }: Feed, isWhole: boolean): FeedFrames => {
  const completeStreams = readers.filter((reader) => reader.restart()).length
  return {
    completeStreams,
    arrivalsMillis: arrivals.map((times) => times.splice(0)),
    frames: isWhole ? log.map(String) : [],
    ...digestFrames(log.splice(0)),
  }
}

class StreamGroup {
  readonly #feeds = new Map<string, Feed>()
  readonly #sockets = new Set<Socket>()
  #problems: Array<string> = []
  #openingMillis = 0
  #openMillis = 0
  #lastBytesMillis = 0
  #lastEventMillis = 0
  #framesSeen = 0
  #framesWanted = Number.POSITIVE_INFINITY
  #onFrames = (): void => {}
  #opened = 0
  #isClosing = false

  /** Opens streams; fails if one cannot be opened. */
  async open(options: OpenOptions): Promise<void> {
    const wanted = options.targets.flatMap((target) => Array.from({ length: target.streams }, () => target))
    this.#openingMillis = monotonicMillis()
    const openNext = async () => {
      for (let target = wanted.shift(); target !== undefined; target = wanted.shift()) {
        await this.#openOne(target, options)
      }
    }
    await Promise.all(Array.from({ length: openingMax }, openNext))
    this.#openMillis = monotonicMillis()
  }

  /** Waits until every stream has received `events` events, or for the timeout; what is missing then stays missing. */
  awaitEvents(events: number, timeoutMillis: number): Promise<void> {
    this.#framesWanted = events * this.#sockets.size
    if (this.#framesSeen >= this.#framesWanted) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMillis)
      this.#onFrames = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  take(isWhole: boolean): StreamClientAnswer {
    const followed = [...this.#feeds.values()].filter(({ readers }) => readers.length > 0)
    this.#framesSeen = 0
    this.#framesWanted = Number.POSITIVE_INFINITY
    return this.answer(followed.map((feed) => takeFeed(feed, isWhole)))
  }

  answer(feeds: ReadonlyArray<FeedFrames> = []): StreamClientAnswer {
    return {
      streams: this.#sockets.size,
      openingMillis: this.#openingMillis,
      openMillis: this.#openMillis,
      lastEventMillis: this.#lastEventMillis,
      feeds,
      problems: this.#problems,
    }
  }

  /** Closes all streams and waits for their sockets. */
  async close(): Promise<void> {
    this.#isClosing = true
    const closed = [...this.#sockets].map((socket) => once(socket, "close"))
    // A normal close would keep each port busy for another minute.
    for (const socket of this.#sockets) socket.resetAndDestroy()
    await Promise.all(closed)
    this.#feeds.clear()
    this.#framesSeen = 0
    this.#problems = []
    this.#isClosing = false
  }

  #openOne({ feed: name, request }: StreamTarget, options: OpenOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`no stream within ${openTimeoutMillis / 1_000} s`))
      const timer = setTimeout(late, openTimeoutMillis)
      const ready = () => {
        clearTimeout(timer)
        resolve()
      }
      const feed = this.#feeds.get(name) ?? { log: [], readers: [], arrivals: [] }
      this.#feeds.set(name, feed)
      const reader = this.#addReader(feed, options.readyAt, ready)
      this.#connect(options, reader, request, (reason) => {
        if (this.#problems.length < problemsKeptMax) this.#problems.push(`${name}: ${reason}`)
        reject(new Error(reason))
      })
    })
  }

  #addReader({ log, readers, arrivals }: Feed, readyAt: ReadyAt, ready: () => void): StreamReader {
    const times: Array<number> | undefined = readers.length < timedStreams ? [] : undefined
    if (times !== undefined) arrivals.push(times)
    const event = () => {
      times?.push(this.#lastBytesMillis)
      this.#lastEventMillis = this.#lastBytesMillis
      this.#framesSeen++
      if (this.#framesSeen === this.#framesWanted) this.#onFrames()
    }
    const reader = new StreamReader(log, readyAt, { ready, event })
    readers.push(reader)
    return reader
  }

  #connect(
    { port, sourceAddresses }: OpenOptions,
    reader: StreamReader,
    request: string,
    broken: (reason: string) => void,
  ): void {
    const callback = (bytes: number): boolean => {
      this.#lastBytesMillis = monotonicMillis()
      try {
        reader.read(readBuffer.subarray(0, bytes))
      } catch (error) {
        broken(String(error))
        socket.destroy()
      }
      return true
    }
    const localAddress = `127.0.0.${1 + (this.#opened++ % sourceAddresses)}`
    const socket = connect({
      port,
      host: "127.0.0.1",
      onread: { buffer: readBuffer, callback },
      ...(sourceAddresses === 1 ? {} : { localAddress }),
    })
    this.#sockets.add(socket)
    socket.on("error", (error) => broken(error.message))
    socket.on("close", () => {
      this.#sockets.delete(socket)
      if (!this.#isClosing) broken("the stream ended")
    })
    socket.write(request)
  }
}

const groups = new Map<string, StreamGroup>()

serveParent<StreamClientRequest, StreamClientAnswer>(async (request) => {
  const group = groups.get(request.group) ?? new StreamGroup()
  groups.set(request.group, group)
  if (request.kind === "take") return group.take(request.isWhole ?? false)
  if (request.kind === "open") await group.open(request)
  else if (request.kind === "await") await group.awaitEvents(request.events, request.timeoutMillis)
  else await group.close()
  return group.answer()
})
