/** A process that appends events to feeds, at once or at a fixed rate. */
import { Redis } from "ioredis"
import { renderFeedEvent } from "../../actors/event/envelope.ts"
import type { Feed } from "../../schema/ids.ts"
import * as keys from "../../src/store/keys.ts"
import { retentionMillis } from "../peers/peerQueue.ts"
import { loadBenchFunctions } from "../support/benchFunctions.ts"
import { monotonicMillis } from "./clock.ts"
import { Connection } from "./connection.ts"
import { paced } from "./pace.ts"
import { serveParent } from "./serveParent.ts"
import { digestFrames, type FrameDigest } from "./streamReader.ts"

/** Events that differ only in their place in the feed. */
export interface SourceEvents {
  readonly feed: Feed
  readonly type: string
  readonly resourceId: string
  readonly data: string
}

/** Where events go: to Redis, which all contenders but nchan read, or to nchan. */
export type SinkName = "redis" | "nchan"

export type SourceRequest = { readonly sink: SinkName } & (
  | /** The URL of Redis, or nchan's port. */
  { readonly kind: "connect"; readonly to: string }
  /** One call for all events of a feed; feeds one after the other. */
  | { readonly kind: "append"; readonly feeds: ReadonlyArray<SourceEvents>; readonly events: number }
  /** Open loop: each batch is appended at once, and is due at its time, regardless of earlier ones. */
  | {
      readonly kind: "pace"
      readonly events: SourceEvents
      readonly batches: number
      readonly batchEvents: number
      readonly batchesPerSecond: number
    }
)

export interface SourceAnswer {
  /** When the first batch was due, on the monotonic clock; the others follow at the rate's interval. */
  readonly startMillis: number
  /** Lateness of the source itself, p99 in ms. */
  readonly latenessMillis: number
  /** The newest event: the id of a Redis entry, or the `Last-Event-ID` of nchan's subscribers. */
  readonly newest: string
  /** What was sent since the last answer, if the source builds the frames itself. */
  readonly sent: FrameDigest | undefined
}

interface StreamSink {
  /** Appends `count` events after all earlier ones. */
  readonly append: (events: SourceEvents, count: number) => Promise<void>
  readonly newest: () => string
  readonly takeDigest: () => FrameDigest | undefined
}

/** Appends to a feed's Redis Stream with the code of the service's commits, including the hint. */
const redisSink = async (url: string): Promise<StreamSink> => {
  const redis = new Redis(url, { protocol: 2 })
  await loadBenchFunctions(redis)
  let newest = "0-0"
  return {
    append: async ({ feed, type, resourceId, data }, count) => {
      const names = [keys.eventsKey(feed), keys.feedKey(feed)]
      const event = [type, resourceId, data, retentionMillis, count]
      newest = String(await redis.fcall("corrente_bench_append_events", 2, ...names, ...event))
    },
    newest: () => newest,
    takeDigest: () => undefined,
  }
}

/**
 * Publishes to an nchan channel named after the seller: the event's envelope as the service renders it, with entry ids
 * made here. Uses one connection and one request at a time, to keep a seller's events in order.
 */
const nchanSink = async (port: number): Promise<StreamSink> => {
  const connection = await Connection.open(port, 0)
  const frames: Array<Buffer> = []
  let entries = 0
  let newest = ""
  let last: Promise<void> = Promise.resolve()
  const post = (request: string) =>
    new Promise<void>((resolve, reject) => {
      connection.onBroken = (reason) => reject(new Error(reason))
      connection.onAnswer = (status, bytes, start, end) => {
        const body = bytes.toString("latin1", start, end)
        if (status !== 201 && status !== 202) reject(new Error(`the publisher answered ${status} ${body}`))
        newest = /"last_message_id": "([^"]+)"/.exec(body)?.[1] ?? newest
        resolve()
      }
      connection.send(Buffer.from(request))
    })
  const appendOne = ({ feed, type, resourceId, data }: SourceEvents): Promise<void> => {
    entries++
    const entry = { entryId: `${Date.now()}-${entries % 1_000}`, seq: entries, type, resourceId, data }
    const envelope = renderFeedEvent(feed, { ...entry, internal: false }, (text) => text)
    frames.push(Buffer.from(`event: ${type}\ndata: ${envelope}\n\n`))
    const head = `POST /publish?feed=${feed.sellerId} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/json\r\n`
    const length = Buffer.byteLength(envelope)
    last = last.then(() =>
      post(`${head}X-EventSource-Event: ${type}\r\nContent-Length: ${length}\r\n\r\n${envelope}`),
    )
    return last
  }
  return {
    append: async (events, count) => {
      await Promise.all(Array.from({ length: count }, () => appendOne(events)))
    },
    newest: () => newest,
    takeDigest: () => digestFrames(frames.splice(0)),
  }
}

/** Most events in one call of Redis: it must not be busy for long. */
const eventsPerCall = 250

const sinks = new Map<SinkName, StreamSink>()

serveParent<SourceRequest, SourceAnswer>(async (request) => {
  if (request.kind === "connect") {
    const { sink: name, to } = request
    sinks.set(name, name === "redis" ? await redisSink(to) : await nchanSink(Number(to)))
  }
  const sink = sinks.get(request.sink)
  if (sink === undefined) throw new Error("the source has no such sink yet")
  const appended: Array<Promise<void>> = []
  const append = (events: SourceEvents, count: number) => {
    const done = sink.append(events, count)
    // Awaiting all reports a failure; until then it must not end the process.
    done.catch(() => {})
    appended.push(done)
  }
  let times = { startMillis: monotonicMillis(), latenessMillis: 0 }
  if (request.kind === "append") {
    for (const feed of request.feeds) {
      for (let left = request.events; left > 0; left -= eventsPerCall) {
        append(feed, Math.min(left, eventsPerCall))
      }
    }
  } else if (request.kind === "pace") {
    const { events, batches, batchEvents, batchesPerSecond } = request
    times = await paced(batchesPerSecond, batches, () => append(events, batchEvents))
  }
  await Promise.all(appended)
  return { ...times, newest: sink.newest(), sent: sink.takeDigest() }
})
