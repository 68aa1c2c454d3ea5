import { setTimeout as sleep } from "node:timers/promises"
import { renderEventFrame } from "../../actors/event/envelope.ts"
import { eventIdOf, type Feed } from "../../schema/ids.ts"
import { readEntries } from "../../src/store/events/eventLog.ts"
import * as keys from "../../src/store/keys.ts"
import { digestFrames, type FrameDigest } from "../load/frameLog.ts"
import type { StreamClientAnswer, StreamClientRequest, StreamTarget } from "../load/streamProtocol.ts"
import type { SourceEvents } from "../load/streamSink.ts"
import type { SourceAnswer, SourceRequest } from "../load/streamSource.ts"
import { startWorker, type Worker } from "../support/child.ts"
import { type BenchFeed, streamRequest } from "./feeds.ts"
import { readyAtOf, type Stand, type StreamName, type StreamServer } from "./streamEnvironment.ts"

/** Connections from one address: of its 28,000 ports Linux looks at a quarter first, and long for one of the others. */
const connectionsPerAddress = 5_000
/** The service gives a seller so many streams (spec 4.2). */
const streamsPerSeller = 10
const arrivalTimeoutMillis = 30_000
const releaseTimeoutMillis = 30_000

/** The processes that make events and follow streams. */
export interface LoadProcesses {
  readonly client: Worker<StreamClientRequest, StreamClientAnswer>
  /** Appends to Redis, where all contenders but nchan read. */
  readonly redisSource: Worker<SourceRequest, SourceAnswer>
  /** Publishes to nchan. */
  readonly nchanSource: Worker<SourceRequest, SourceAnswer>
}

const moduleOf = (name: string): URL => new URL(`../load/${name}.ts`, import.meta.url)

/** Starts the load's processes, which end with `body`. */
export const withLoadProcesses = async <A>(
  stand: Stand,
  body: (processes: LoadProcesses) => Promise<A>,
): Promise<A> => {
  const processes: LoadProcesses = {
    client: startWorker(moduleOf("streamClient")),
    redisSource: startWorker(moduleOf("streamSource")),
    nchanSource: startWorker(moduleOf("streamSource")),
  }
  try {
    await processes.redisSource.ask({ kind: "redis", url: stand.redis.url })
    return await body(processes)
  } finally {
    await Promise.all(Object.values(processes).map((worker) => worker.stop()))
  }
}

/** A contender with the load at both its ends. */
export class Line {
  readonly name: StreamName
  readonly server: StreamServer
  readonly processes: LoadProcesses
  private readonly stand: Stand

  private constructor(stand: Stand, server: StreamServer, processes: LoadProcesses) {
    this.stand = stand
    this.server = server
    this.processes = processes
    this.name = server.name
  }

  /** Starts a contender and tells the source of it. */
  static async start(
    stand: Stand,
    name: StreamName,
    processes: LoadProcesses,
    nodeArguments: ReadonlyArray<string> = [],
  ): Promise<Line> {
    const server = await stand.start(name, nodeArguments)
    if (name === "nchan") await processes.nchanSource.ask({ kind: "nchan", port: server.port })
    return new Line(stand, server, processes)
  }

  /** The process that this contender's events come from. */
  get source(): Worker<SourceRequest, SourceAnswer> {
    return this.name === "nchan" ? this.processes.nchanSource : this.processes.redisSource
  }

  /** The events of a feed, as the source takes them. */
  eventsOf(feed: Feed): SourceEvents {
    const { type, resourceId, stored, shown } = this.stand.template
    return { feed, type, resourceId, data: this.name === "nchan" ? shown : stored }
  }

  /** What a client that has had everything up to the source's newest event comes back with. */
  lastEventIdOf(feed: Feed, newest: string): string {
    return this.name === "nchan" ? newest : eventIdOf(feed, newest)
  }

  /** Opens so many streams of each feed, in a group of that name. */
  async open(
    group: string,
    feeds: ReadonlyArray<BenchFeed>,
    streamsPerFeed: number,
    lastEventId?: string,
  ): Promise<StreamClientAnswer> {
    const targets = feeds.map(
      (feed): StreamTarget => ({
        feed: feed.feed.sellerId,
        request: streamRequest(this.name, feed, lastEventId),
        streams: streamsPerFeed,
      }),
    )
    const opened = this.processes.client.ask({
      kind: "open",
      group,
      port: this.server.port,
      targets,
      readyAt: readyAtOf(this.name),
      sourceAddresses: Math.ceil((feeds.length * streamsPerFeed) / connectionsPerAddress),
    })
    return opened.catch((error: unknown) => {
      throw new Error(`streams of ${this.name} could not be opened: ${String(error)}`)
    })
  }

  /**
   * Opens any number of streams of one feed. The service gives a seller ten; here its record of them in Redis is emptied
   * as they open, so that it serves more: fan-out to many, and not this limit, is what is measured.
   */
  async openMany(group: string, feed: BenchFeed, streams: number): Promise<void> {
    const slots = keys.streamsKey(feed.feed.sellerId)
    for (let left = streams; left > 0; left -= streamsPerSeller) {
      await this.open(group, [feed], Math.min(left, streamsPerSeller))
      if (this.name === "corrente") await this.stand.redis.client.del(slots)
    }
  }

  /** Waits until each of the group's streams has had so many events. */
  async arrived(group: string, events: number): Promise<StreamClientAnswer> {
    const { client } = this.processes
    return client.ask({ kind: "await", group, events, timeoutMillis: arrivalTimeoutMillis })
  }

  take(group: string): Promise<StreamClientAnswer> {
    return this.processes.client.ask({ kind: "take", group })
  }

  /** Closes the group, and waits until the service has given the feeds' slots back. */
  async close(group: string, feeds: ReadonlyArray<BenchFeed> = []): Promise<void> {
    await this.processes.client.ask({ kind: "close", group })
    if (this.name !== "corrente") return
    const { client } = this.stand.redis
    const slots = feeds.map(({ feed }) => keys.streamsKey(feed.sellerId))
    const deadline = performance.now() + releaseTimeoutMillis
    while (slots.length > 0 && (await client.exists(...slots)) > 0) {
      if (performance.now() > deadline) throw new Error("slots of closed streams were not given back")
      await sleep(20)
    }
  }

  /** What a feed's streams should have had: the frames of all its entries in Redis, or what the source sent to nchan. */
  async expected({ feed }: BenchFeed, sent: FrameDigest | undefined, after = "-"): Promise<FrameDigest> {
    if (sent !== undefined) return sent
    const { redis, restore } = this.stand
    const entries = readEntries(await redis.client.xrange(keys.eventsKey(feed), after, "+"))
    const frames = entries.map((entry) => renderEventFrame(feed, entry, restore))
    return digestFrames(Buffer.from(frames.join("")), entries.length)
  }

  /** Whether two digests are of the same events: nchan makes ids of its own, so there they are left out. */
  isSame(seen: FrameDigest, expected: FrameDigest): boolean {
    if (seen.events !== expected.events) return false
    return this.name === "nchan"
      ? seen.hashWithoutIds === expected.hashWithoutIds
      : seen.hash === expected.hash
  }
}
