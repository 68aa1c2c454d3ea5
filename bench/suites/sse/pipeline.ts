import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { renderEventFrame } from "../../../actors/event/envelope.ts"
import { eventIdOf, type Feed } from "../../../schema/ids.ts"
import { freePort } from "../../../src/start/ownRedis/redisChild.ts"
import { readEntries } from "../../../src/store/events.ts"
import * as keys from "../../../src/store/keys.ts"
import type { StreamClientAnswer, StreamClientRequest } from "../../load/streamClient.ts"
import { digestFrames, type FrameDigest } from "../../load/streamReader.ts"
import type { SinkName, SourceAnswer, SourceEvents, SourceRequest } from "../../load/streamSource.ts"
import { findNchan, writeNchanConfig } from "../../peers/nchan.ts"
import type { Contender } from "../../report/result.ts"
import { type Child, startServer, startWorker } from "../../support/child.ts"
import type { FilledSeller } from "../../support/filler.ts"
import { dataRoot } from "../../support/redisServer.ts"
import { nodeFlags } from "../../support/settings.ts"
import { collectArguments, encryptionKey, startSideBackend } from "../../support/sides.ts"
import { makeTemplate, renderCharge } from "../../support/template.ts"
import { until } from "../../support/until.ts"

/** Contenders that serve event streams, in the order of their turns. */
export const streamNames = ["corrente", "bare", "nchan"] as const satisfies ReadonlyArray<Contender>
export type StreamName = (typeof streamNames)[number]

/** Connections from one address. It has 28,000 ports, but Linux finds a free one fast only among a quarter of them. */
const connectionsPerAddress = 5_000
/** The service's limit (docs/contract/events.md#stream-limits); each feed of the others has as many. */
export const streamsPerFeed = 10
const arrivalTimeoutMillis = 30_000
const releaseTimeoutMillis = 30_000

/** The most that nchan must hold. */
interface NchanSize {
  readonly connectionsMax: number
  readonly eventsMax: number
}

const moduleOf = (name: string): URL => new URL(`../../load/${name}.ts`, import.meta.url)
const bareScript = fileURLToPath(new URL("../../peers/bareStream.ts", import.meta.url))

/** What all contenders share: one Redis whose streams they read, the processes of the load, and the events. */
const openEnvironment = async (size: NchanSize) => {
  const nchan = await findNchan()
  const backend = await startSideBackend("corrente")
  const { redis } = backend
  const client = startWorker<StreamClientRequest, StreamClientAnswer>(moduleOf("streamClient"))
  const source = startWorker<SourceRequest, SourceAnswer>(moduleOf("streamSource"))
  const stop = () => Promise.all([client.stop(), source.stop()]).then(backend.stop)
  const startNchan = async () => {
    if (nchan === undefined) throw new Error("nginx with nchan is not installed")
    const port = await Effect.runPromise(freePort)
    const folder = mkdtempSync(join(dataRoot, "nchan-"))
    // nginx needs some connections for its listening socket and its own channels.
    const options = { port, connectionsMax: size.connectionsMax + 50, messagesMax: size.eventsMax }
    const args = writeNchanConfig(nchan, folder, options)
    const server = await startServer(nchan.nginx, args, process.env, /getrlimit\(RLIMIT_NOFILE\)/)
    await source.ask({ kind: "connect", sink: "nchan", to: String(port) })
    const end = () => server.stop().then(() => rmSync(folder, { recursive: true, force: true }))
    return { pid: server.pid, port, stop: end }
  }
  /** Starts a contender, so that its garbage can be collected (nginx has none). */
  const start = async (name: StreamName): Promise<Child & { readonly port: number }> => {
    if (name === "corrente") return backend.startServer(collectArguments)
    if (name === "nchan") return startNchan()
    const { PATH, HOME } = process.env
    const env = { PATH, HOME, PORT: "0", REDIS_URL: redis.url, ENCRYPTION_KEY: encryptionKey }
    const args = [...nodeFlags, ...collectArguments, bareScript]
    const server = await startServer(process.execPath, args, env, /listening on http:\/\/[^\s:]+:(\d+)/)
    return { pid: server.pid, port: Number(server.said), stop: server.stop }
  }
  try {
    await source.ask({ kind: "connect", sink: "redis", to: redis.url })
    const service = await backend.startServer()
    const made = makeTemplate(backend, service.port, "transaction.created")
    const template = await made.finally(service.stop)
    const names = streamNames.filter((name) => name !== "nchan" || nchan !== undefined)
    return { names, redis, client, source, template, nchanVersion: nchan?.version, start, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

export type StreamEnvironment = Awaited<ReturnType<typeof openEnvironment>>

export const withStreamEnvironment = async <A>(
  size: NchanSize,
  body: (environment: StreamEnvironment) => Promise<A>,
): Promise<A> => {
  const environment = await openEnvironment(size)
  return body(environment).finally(environment.stop)
}

/** A contender between the source of its events and the client that follows its streams. */
export class Pipeline {
  readonly name: StreamName
  readonly server: Child & { readonly port: number }
  readonly environment: StreamEnvironment
  /** Where its events are appended. */
  readonly sink: SinkName

  private constructor(environment: StreamEnvironment, name: StreamName, server: Pipeline["server"]) {
    this.environment = environment
    this.name = name
    this.server = server
    this.sink = name === "nchan" ? "nchan" : "redis"
  }

  static async start(environment: StreamEnvironment, name: StreamName): Promise<Pipeline> {
    return new Pipeline(environment, name, await environment.start(name))
  }

  /** A feed's events in the form the source expects. */
  eventsOf(feed: Feed): SourceEvents {
    const { type, resourceId, stored, shown } = this.environment.template
    return { feed, type, resourceId, data: this.name === "nchan" ? shown : stored }
  }

  append(feeds: ReadonlyArray<FilledSeller>, events: number): Promise<SourceAnswer> {
    const { sink } = this
    const ofFeeds = feeds.map(({ feed }) => this.eventsOf(feed))
    return this.environment.source.ask({ kind: "append", sink, feeds: ofFeeds, events })
  }

  /** Opens `streams` streams of each feed as one group. The service finds the feed by the key, the others by the query. */
  open(
    group: string,
    feeds: ReadonlyArray<FilledSeller>,
    streams: number,
    lastEventId?: string,
  ): Promise<StreamClientAnswer> {
    const requestOf = ({ sellerId, apiKey }: FilledSeller): string =>
      [
        `GET /events${this.name === "corrente" ? "" : `?feed=${sellerId}`} HTTP/1.1`,
        "Host: 127.0.0.1",
        `Authorization: Bearer ${apiKey}`,
        "Accept: text/event-stream",
        ...(lastEventId === undefined ? [] : [`Last-Event-ID: ${lastEventId}`]),
        "\r\n",
      ].join("\r\n")
    const opened = this.environment.client.ask({
      kind: "open",
      group,
      port: this.server.port,
      targets: feeds.map((feed) => ({ feed: feed.sellerId, request: requestOf(feed), streams })),
      // nchan sends no `ready` frame.
      readyAt: this.name === "nchan" ? "head" : "frame",
      sourceAddresses: Math.ceil((feeds.length * streams) / connectionsPerAddress),
    })
    return opened.catch((error: unknown) => {
      throw new Error(`cannot open streams of ${this.name}: ${String(error)}`)
    })
  }

  /**
   * Opens any number of streams of one feed. The service allows ten a seller; its record of them in Redis is deleted as
   * they open, because fan-out to many streams is measured here, not this limit.
   */
  async openMany(group: string, feed: FilledSeller, streams: number): Promise<void> {
    for (let left = streams; left > 0; left -= streamsPerFeed) {
      await this.open(group, [feed], Math.min(left, streamsPerFeed))
      if (this.name === "corrente") await this.environment.redis.client.del(keys.streamsKey(feed.sellerId))
    }
  }

  /** Waits until each of the group's streams has received `events` events. */
  arrived(group: string, events: number): Promise<StreamClientAnswer> {
    return this.environment.client.ask({
      kind: "await",
      group,
      events,
      timeoutMillis: arrivalTimeoutMillis,
    })
  }

  take(group: string): Promise<StreamClientAnswer> {
    return this.environment.client.ask({ kind: "take", group })
  }

  /** Closes the group, and waits until the service has released the feeds' slots. */
  async close(group: string, feeds: ReadonlyArray<FilledSeller> = []): Promise<void> {
    await this.environment.client.ask({ kind: "close", group })
    if (this.name !== "corrente" || feeds.length === 0) return
    const slots = feeds.map(({ sellerId }) => keys.streamsKey(sellerId))
    const isReleased = async () => (await this.environment.redis.client.exists(...slots)) === 0
    if (await until(isReleased, releaseTimeoutMillis, 20)) return
    throw new Error("the service did not release the slots of closed streams")
  }

  /** What a feed's streams should have received: the frames of its entries in Redis, or what the source sent to nchan. */
  async expected({ feed }: FilledSeller, sent: FrameDigest | undefined, after = "-"): Promise<FrameDigest> {
    if (this.name === "nchan" && sent !== undefined) return sent
    const { client } = this.environment.redis
    const entries = readEntries(await client.xrange(keys.eventsKey(feed), after, "+"))
    return digestFrames(entries.map((entry) => Buffer.from(renderEventFrame(feed, entry, renderCharge))))
  }

  /** Whether two digests cover the same events. nchan assigns its own ids, so they are left out there. */
  isSame(seen: FrameDigest, expected: FrameDigest): boolean {
    const of = this.name === "nchan" ? "hashWithoutIds" : "hash"
    return seen.events === expected.events && seen[of] === expected[of]
  }

  /** Removes feeds' events. nchan's stay in its own memory. */
  async forget(feeds: ReadonlyArray<FilledSeller>): Promise<void> {
    if (this.name === "nchan") return
    const { client } = this.environment.redis
    await Promise.all(feeds.map(({ feed }) => client.xtrim(keys.eventsKey(feed), "MAXLEN", 0)))
  }

  /** The `Last-Event-ID` of a client that has received everything up to the source's newest event. */
  lastEventIdOf({ feed }: FilledSeller, newest: string): string {
    return this.name === "nchan" ? newest : eventIdOf(feed, newest)
  }
}
