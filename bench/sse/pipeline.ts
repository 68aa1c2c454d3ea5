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
import { readyAtOf, type StreamEnvironment, type StreamName, type StreamServer } from "./streamEnvironment.ts"

/** Connections from one address. It has 28,000 ports, but Linux finds a free one fast only among a quarter of them. */
const connectionsPerAddress = 5_000
/** The service's limit (docs/contract/events.md#stream-limits). */
const streamsPerSeller = 10
const arrivalTimeoutMillis = 30_000
const releaseTimeoutMillis = 30_000

/** The processes that produce events and follow streams. */
export interface LoadProcesses {
  readonly client: Worker<StreamClientRequest, StreamClientAnswer>
  /** Appends to Redis, which all contenders but nchan read. */
  readonly redisSource: Worker<SourceRequest, SourceAnswer>
  /** Publishes to nchan. */
  readonly nchanSource: Worker<SourceRequest, SourceAnswer>
}

const moduleOf = (name: string): URL => new URL(`../load/${name}.ts`, import.meta.url)

/** Runs `body` with the load's processes, and stops them afterwards. */
export const withLoadProcesses = async <A>(
  environment: StreamEnvironment,
  body: (processes: LoadProcesses) => Promise<A>,
): Promise<A> => {
  const processes: LoadProcesses = {
    client: startWorker(moduleOf("streamClient")),
    redisSource: startWorker(moduleOf("streamSource")),
    nchanSource: startWorker(moduleOf("streamSource")),
  }
  try {
    await processes.redisSource.ask({ kind: "redis", url: environment.redis.url })
    return await body(processes)
  } finally {
    await Promise.all(Object.values(processes).map((worker) => worker.stop()))
  }
}

/** A contender between the source of its events and the client that follows its streams. */
export class Pipeline {
  readonly name: StreamName
  readonly server: StreamServer
  readonly processes: LoadProcesses
  readonly #environment: StreamEnvironment

  private constructor(environment: StreamEnvironment, server: StreamServer, processes: LoadProcesses) {
    this.#environment = environment
    this.server = server
    this.processes = processes
    this.name = server.name
  }

  /** Starts a contender and connects the source to it. */
  static async start(
    environment: StreamEnvironment,
    name: StreamName,
    processes: LoadProcesses,
    nodeArguments: ReadonlyArray<string> = [],
  ): Promise<Pipeline> {
    const server = await environment.start(name, nodeArguments)
    if (name === "nchan") await processes.nchanSource.ask({ kind: "nchan", port: server.port })
    return new Pipeline(environment, server, processes)
  }

  /** The process that produces this contender's events. */
  get source(): Worker<SourceRequest, SourceAnswer> {
    return this.name === "nchan" ? this.processes.nchanSource : this.processes.redisSource
  }

  /** A feed's events in the form the source expects. */
  eventsOf(feed: Feed): SourceEvents {
    const { type, resourceId, stored, shown } = this.#environment.template
    return { feed, type, resourceId, data: this.name === "nchan" ? shown : stored }
  }

  /** The `Last-Event-ID` of a client that has received everything up to the source's newest event. */
  lastEventIdOf(feed: Feed, newest: string): string {
    return this.name === "nchan" ? newest : eventIdOf(feed, newest)
  }

  /** Opens `streamsPerFeed` streams of each feed as one group. */
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
      throw new Error(`cannot open streams of ${this.name}: ${String(error)}`)
    })
  }

  /**
   * Opens any number of streams of one feed. The service allows ten a seller; its record of them in Redis is deleted as
   * they open, because fan-out to many streams is measured here, not this limit.
   */
  async openMany(group: string, feed: BenchFeed, streams: number): Promise<void> {
    const slots = keys.streamsKey(feed.feed.sellerId)
    for (let left = streams; left > 0; left -= streamsPerSeller) {
      await this.open(group, [feed], Math.min(left, streamsPerSeller))
      if (this.name === "corrente") await this.#environment.redis.client.del(slots)
    }
  }

  /** Waits until each of the group's streams has received `events` events. */
  async arrived(group: string, events: number): Promise<StreamClientAnswer> {
    const { client } = this.processes
    return client.ask({ kind: "await", group, events, timeoutMillis: arrivalTimeoutMillis })
  }

  take(group: string): Promise<StreamClientAnswer> {
    return this.processes.client.ask({ kind: "take", group })
  }

  /** Closes the group, and waits until the service has released the feeds' slots. */
  async close(group: string, feeds: ReadonlyArray<BenchFeed> = []): Promise<void> {
    await this.processes.client.ask({ kind: "close", group })
    if (this.name !== "corrente") return
    const { client } = this.#environment.redis
    const slots = feeds.map(({ feed }) => keys.streamsKey(feed.sellerId))
    const deadline = performance.now() + releaseTimeoutMillis
    while (slots.length > 0 && (await client.exists(...slots)) > 0) {
      if (performance.now() > deadline)
        throw new Error("the service did not release the slots of closed streams")
      await sleep(20)
    }
  }

  /** What a feed's streams should have received: the frames of its entries in Redis, or what the source sent to nchan. */
  async expected({ feed }: BenchFeed, sent: FrameDigest | undefined, after = "-"): Promise<FrameDigest> {
    if (sent !== undefined) return sent
    const { redis, restore } = this.#environment
    const entries = readEntries(await redis.client.xrange(keys.eventsKey(feed), after, "+"))
    const frames = entries.map((entry) => renderEventFrame(feed, entry, restore))
    return digestFrames(Buffer.from(frames.join("")), entries.length)
  }

  /** Whether two digests cover the same events. nchan assigns its own ids, so they are left out there. */
  isSame(seen: FrameDigest, expected: FrameDigest): boolean {
    if (seen.events !== expected.events) return false
    return this.name === "nchan"
      ? seen.hashWithoutIds === expected.hashWithoutIds
      : seen.hash === expected.hash
  }
}
