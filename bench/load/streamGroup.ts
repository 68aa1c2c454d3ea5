import { connect, type Socket } from "node:net"
import { FrameLog } from "./frameLog.ts"
import {
  type FeedFrames,
  monotonicMillis,
  type StreamClientAnswer,
  type StreamTarget,
} from "./streamProtocol.ts"
import { type ReadyAt, StreamReader } from "./streamReader.ts"

/** One buffer for all reads, which run one after the other: one per socket would take gigabytes. */
const readBuffer = Buffer.allocUnsafe(256 * 1024)
/** Connections opened concurrently. */
const openingMax = 64
const openTimeoutMillis = 60_000
const problemsKeptMax = 5
/** Streams of a feed whose arrivals are recorded, event by event. */
const timedStreams = 4

interface Feed {
  readonly log: FrameLog
  readonly readers: Array<StreamReader>
  readonly arrivals: Array<Array<number>>
}

/** Options of the streams to open. */
export interface OpenOptions {
  readonly port: number
  readonly targets: ReadonlyArray<StreamTarget>
  readonly readyAt: ReadyAt
  readonly sourceAddresses: number
}

/** Streams of one server. */
export class StreamGroup {
  readonly #feeds = new Map<string, Feed>()
  readonly #sockets = new Set<Socket>()
  #problems: Array<string> = []
  #openingMillis = 0
  #openMillis = 0
  #lastBytesMillis = 0
  #lastEventMillis = 0
  #framesSeen = 0
  #framesWanted = Number.POSITIVE_INFINITY
  #onFrames: () => void = () => {}
  #opened = 0
  #isClosing = false

  /** Opens streams; fails if one cannot be opened. */
  async open(options: OpenOptions): Promise<void> {
    const wanted = options.targets.flatMap((target) => Array.from({ length: target.streams }, () => target))
    this.#openingMillis = monotonicMillis()
    let next = 0
    const openNext = async () => {
      for (let target = wanted[next++]; target !== undefined; target = wanted[next++]) {
        await this.#openOne(target, options)
      }
    }
    await Promise.all(Array.from({ length: Math.min(openingMax, wanted.length) }, openNext))
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

  /** Returns what was received since the last call. */
  take(): StreamClientAnswer {
    const followed = [...this.#feeds].filter(([, { readers }]) => readers.length > 0)
    const feeds = followed.map(([name, feed]): FeedFrames => takeFeed(name, feed))
    this.#framesSeen = 0
    this.#framesWanted = Number.POSITIVE_INFINITY
    return this.answer(feeds)
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

  /** Closes all streams and waits for their sockets; logs keep their memory. */
  async close(): Promise<void> {
    this.#isClosing = true
    const closed = [...this.#sockets].map(
      (socket) => new Promise<void>((resolve) => socket.once("close", () => resolve())),
    )
    // A normal close would keep each port busy for another minute.
    for (const socket of this.#sockets) socket.resetAndDestroy()
    await Promise.all(closed)
    for (const feed of this.#feeds.values()) {
      feed.log.clear()
      feed.readers.length = 0
      feed.arrivals.length = 0
    }
    this.#framesSeen = 0
    this.#problems = []
    this.#isClosing = false
  }

  #feedOf(name: string): Feed {
    const known = this.#feeds.get(name)
    if (known !== undefined) return known
    const feed: Feed = { log: new FrameLog(), readers: [], arrivals: [] }
    this.#feeds.set(name, feed)
    return feed
  }

  #openOne(target: StreamTarget, options: OpenOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`no stream within ${openTimeoutMillis / 1_000} s`)),
        openTimeoutMillis,
      )
      const ready = () => {
        clearTimeout(timer)
        resolve()
      }
      const reader = this.#addReader(this.#feedOf(target.feed), options.readyAt, ready)
      const broken = (reason: string) => {
        this.#problem(`${target.feed}: ${reason}`)
        reject(new Error(reason))
      }
      this.#connect(options, reader, target.request, broken)
    })
  }

  #addReader(feed: Feed, readyAt: ReadyAt, ready: () => void): StreamReader {
    const times: Array<number> | undefined = feed.readers.length < timedStreams ? [] : undefined
    if (times !== undefined) feed.arrivals.push(times)
    const event = () => {
      times?.push(this.#lastBytesMillis)
      this.#lastEventMillis = this.#lastBytesMillis
      this.#framesSeen++
      if (this.#framesSeen === this.#framesWanted) this.#onFrames()
    }
    const reader = new StreamReader(feed.log, readyAt, { ready, event })
    feed.readers.push(reader)
    return reader
  }

  #connect(
    { port, sourceAddresses }: OpenOptions,
    reader: StreamReader,
    request: string,
    broken: (reason: string) => void,
  ): void {
    const receive = (bytes: number): boolean => {
      this.#lastBytesMillis = monotonicMillis()
      try {
        reader.read(readBuffer, bytes)
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
      ...(sourceAddresses === 1 ? {} : { localAddress }),
      onread: { buffer: readBuffer, callback: receive },
    })
    this.#sockets.add(socket)
    socket.on("error", (error) => broken(error.message))
    socket.on("close", () => {
      this.#sockets.delete(socket)
      if (!this.#isClosing) broken("the stream ended")
    })
    socket.write(request)
  }

  #problem(text: string): void {
    if (this.#problems.length < problemsKeptMax) this.#problems = [...this.#problems, text]
  }
}

const takeFeed = (name: string, feed: Feed): FeedFrames => {
  const { log, readers, arrivals } = feed
  const events = log.ends.length
  let completeStreams = 0
  for (const reader of readers) {
    const hadEvents = reader.events === events
    if (reader.restart(log.size) && hadEvents) completeStreams++
  }
  const digest = log.digest()
  log.clear()
  const arrivalsMillis = arrivals.map((times) => Float64Array.from(times.splice(0)))
  return { feed: name, completeStreams, arrivalsMillis, ...digest }
}
