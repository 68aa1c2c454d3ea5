/**
 * The ceiling of event streams: uWebSockets.js and ioredis in one process. It listens to the same hints, reads the same
 * Redis Streams, encodes each read once, and writes it to all streams of the feed; replays read batch by batch at the
 * client's pace. It checks no key, and counts, bounds and times out nothing. Takes PORT, REDIS_URL and ENCRYPTION_KEY
 * like the service. Never expose it to a network.
 */

import { App, type HttpRequest, type HttpResponse, us_socket_local_port } from "uWebSockets.js"
import { Redis } from "ioredis"
import { renderEventFrame } from "../../actors/event/envelope.ts"
import type { EventEntry } from "../../actors/ports/eventLog.ts"
import { entryIdOf, eventIdOf, type Feed } from "../../schema/ids.ts"
import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { makePaymentUrls } from "../../src/payments/paymentUrls.ts"
import { makeChargeRenderer } from "../../src/payments/renderCharge.ts"
import { readEntries } from "../../src/store/events.ts"
import { eventsKey, feedChannel, feedKey, feedOfChannel } from "../../src/store/keys.ts"
import { publicUrl } from "../support/settings.ts"

const batchEntries = 500
const heartbeatMillis = 15_000
const pingFrame: Uint8Array = Buffer.from(": ping\n\n")

const encryptionKey = Buffer.from(process.env.ENCRYPTION_KEY ?? "", "base64")
const { render: renderCharge } = makeChargeRenderer({
  open: makeCipher(plainKey(encryptionKey)).open,
  urls: makePaymentUrls(plainKey(encryptionKey), () => publicUrl),
})

/** The frames of entries, byte for byte the service's. */
const encodeFrames = (feed: Feed, entries: ReadonlyArray<EventEntry>): Uint8Array =>
  Buffer.from(entries.map((entry) => renderEventFrame(feed, entry, renderCharge)).join(""))

const openingFrame = (feed: Feed, position: string): Uint8Array => {
  const ready = { mode: feed.mode, last_event_id: position === "0-0" ? null : eventIdOf(feed, position) }
  return Buffer.from(`retry: 3000\n\nevent: ready\ndata: ${JSON.stringify(ready)}\n\n`)
}

const redisUrl = process.env.REDIS_URL ?? ""
const reads = new Redis(redisUrl, { protocol: 2 })
const hints = new Redis(redisUrl, { protocol: 2 })

const newestOf = async (feed: Feed): Promise<string> => (await reads.hget(feedKey(feed), "last")) ?? "0-0"

const readAfter = async (feed: Feed, position: string): Promise<ReadonlyArray<EventEntry>> =>
  readEntries(await reads.xrange(eventsKey(feed), `(${position}`, "+", "COUNT", batchEntries))

interface BareFeed {
  readonly feed: Feed
  readonly streams: Set<BareStream>
  /** The last entry that every stream has. */
  last: string
  isWanted: boolean
  reading: Promise<void> | undefined
}

interface BareStream {
  readonly res: HttpResponse
  isGone: boolean
  onWritable: (() => void) | undefined
}

const feeds = new Map<string, Promise<BareFeed>>()
/** Feeds whose hints are subscribed. */
const followed = new Map<string, BareFeed>()

const follow = async (feed: Feed): Promise<BareFeed> => {
  const found: BareFeed = { feed, streams: new Set(), last: "0-0", isWanted: false, reading: undefined }
  followed.set(feed.sellerId, found)
  await hints.subscribe(feedChannel(feed))
  found.last = await newestOf(feed)
  return found
}

const feedFor = (sellerId: string): Promise<BareFeed> => {
  const known = feeds.get(sellerId)
  if (known !== undefined) return known
  const made = follow({ sellerId, mode: "test" })
  feeds.set(sellerId, made)
  return made
}

/** Writes; false if uWebSockets.js buffers part of it. */
const write = ({ res, isGone }: BareStream, bytes: Uint8Array): boolean => {
  let isTaken = true
  if (!isGone) {
    res.cork(() => {
      isTaken = res.write(bytes)
    })
  }
  return isTaken
}

const read = async (found: BareFeed): Promise<void> => {
  while (found.isWanted) {
    found.isWanted = false
    const entries = await readAfter(found.feed, found.last)
    const newest = entries.at(-1)
    if (newest === undefined) continue
    const bytes = encodeFrames(found.feed, entries)
    found.last = newest.entryId
    found.isWanted = true
    for (const stream of found.streams) write(stream, bytes)
  }
}

/** Reads the feed, now or after the read that is in flight. */
const want = (found: BareFeed): Promise<void> => {
  found.isWanted = true
  found.reading ??= read(found).finally(() => {
    found.reading = undefined
  })
  return found.reading
}

hints.on("message", (channel: string, message: string) => {
  const found = followed.get(feedOfChannel(channel)?.sellerId ?? "")
  const [, entryId = ""] = message.split(" ")
  if (found === undefined || entryId === found.last) return
  if (found.streams.size === 0) found.last = entryId
  else want(found)
})

const drained = (stream: BareStream): Promise<void> =>
  new Promise((resolve) => {
    stream.onWritable = resolve
  })

/** Catches a stream up from `position` to the live ones. */
const catchUp = async (stream: BareStream, found: BareFeed, from: string): Promise<void> => {
  let position = from
  while (!stream.isGone) {
    if (position === found.last) break
    const entries = await readAfter(found.feed, position)
    position = entries.at(-1)?.entryId ?? position
    if (entries.length > 0) {
      if (!write(stream, encodeFrames(found.feed, entries))) await drained(stream)
    } else if (found.streams.size === 0) {
      found.last = position
    } else {
      await want(found)
    }
  }
  if (!stream.isGone) found.streams.add(stream)
}

const open = async (stream: BareStream, sellerId: string, lastEventId: string): Promise<void> => {
  const found = await feedFor(sellerId)
  if (stream.isGone) return
  const position = lastEventId === "" ? found.last : (entryIdOf(found.feed, lastEventId) ?? "0-0")
  stream.res.cork(() => {
    stream.res.writeHeader("Content-Type", "text/event-stream")
    stream.res.writeHeader("Cache-Control", "private, no-cache, no-store")
    stream.res.write(openingFrame(found.feed, position))
  })
  await catchUp(stream, found, position)
}

const get = (res: HttpResponse, req: HttpRequest): void => {
  const stream: BareStream = { res, isGone: false, onWritable: undefined }
  const sellerId = req.getQuery("feed") ?? ""
  res.onAborted(() => {
    stream.isGone = true
    stream.onWritable?.()
    followed.get(sellerId)?.streams.delete(stream)
  })
  // Without it uWebSockets.js closes a stream that is idle for 10 s.
  res.onWritable(() => {
    const resume = stream.onWritable
    stream.onWritable = undefined
    resume?.()
    return true
  })
  open(stream, sellerId, req.getHeader("last-event-id")).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
}

setInterval(() => {
  for (const { streams } of followed.values()) for (const stream of streams) write(stream, pingFrame)
}, heartbeatMillis)

App()
  .get("/events", get)
  .listen("127.0.0.1", Number(process.env.PORT), (socket) => {
    if (socket === false) {
      console.error(`port ${process.env.PORT} is taken`)
      process.exit(1)
    }
    console.log(`listening on http://127.0.0.1:${us_socket_local_port(socket)}`)
  })
