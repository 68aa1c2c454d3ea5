/**
 * Event streams as most would write them: node:http, and one connection that waits in XREAD for all feeds. Each read is
 * encoded once and written to all streams of its feed; replays are XRANGE, batch by batch, each after the `drain` of
 * the previous one. It checks no key, and counts and bounds nothing. Takes PORT, REDIS_URL and ENCRYPTION_KEY like the
 * service. Never expose it to a network.
 */

import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { Redis } from "ioredis"
import type { Feed } from "../../schema/ids.ts"
import { readEntries } from "../../src/store/events/eventLog.ts"
import { eventsKey } from "../../src/store/keys.ts"
import {
  encodeFrames,
  feedOf,
  heartbeatMillis,
  newestOf,
  openingFrame,
  pingFrame,
  positionOf,
  readAfter,
} from "./bareStreamFrames.ts"

const redisUrl = process.env.REDIS_URL ?? ""
const reads = new Redis(redisUrl, { protocol: 2 })
const blocking = new Redis(redisUrl, { protocol: 2 })

/** How long an XREAD waits, and the most entries it returns per feed. */
const blockMillis = 1_000
const entriesMax = 500

/** A followed feed. */
interface NodeFeed {
  readonly feed: Feed
  readonly streams: Set<ServerResponse>
  /** The last entry that every stream has. */
  last: string
}

const feeds = new Map<string, Promise<NodeFeed>>()
/** Feeds by the names of their Redis Streams. */
const followed = new Map<string, NodeFeed>()

let onFollowed: () => void = () => {}
let isUnblocking = false

/** Interrupts a waiting read, which does not include a new feed. */
const unblock = async (clientId: number): Promise<void> => {
  onFollowed()
  if (isUnblocking) return
  isUnblocking = true
  await reads.client("UNBLOCK", clientId)
  isUnblocking = false
}

const follow = async (feed: Feed): Promise<NodeFeed> => {
  const found = { feed, streams: new Set<ServerResponse>(), last: await newestOf(reads, feed) }
  followed.set(eventsKey(feed), found)
  await unblock(clientId)
  return found
}

const feedFor = (sellerId: string): Promise<NodeFeed> => {
  const known = feeds.get(sellerId)
  if (known !== undefined) return known
  const made = follow(feedOf(sellerId))
  feeds.set(sellerId, made)
  return made
}

const readOn = async (): Promise<void> => {
  if (followed.size === 0) {
    await new Promise<void>((resolve) => {
      onFollowed = resolve
    })
  }
  const lasts = [...followed.values()].map(({ last }) => last)
  const reply = await blocking.xread(
    ...(["COUNT", entriesMax, "BLOCK", blockMillis, "STREAMS"] as const),
    ...followed.keys(),
    ...lasts,
  )
  for (const [key, found] of reply ?? []) {
    const feed = followed.get(key)
    const entries = readEntries(found)
    const newest = entries.at(-1)
    if (feed === undefined || newest === undefined) continue
    feed.last = newest.entryId
    if (feed.streams.size === 0) continue
    const bytes = encodeFrames(feed.feed, entries)
    for (const stream of feed.streams) stream.write(bytes)
  }
}

/** Catches a stream up from `position` to the live ones. */
const catchUp = async (res: ServerResponse, found: NodeFeed, from: string): Promise<void> => {
  let position = from
  while (position !== found.last && !res.closed) {
    const entries = await readAfter(reads, found.feed, position)
    position = entries.at(-1)?.entryId ?? position
    if (entries.length > 0 && !res.write(encodeFrames(found.feed, entries))) {
      await Promise.race([once(res, "drain"), once(res, "close")])
    }
  }
  if (!res.closed) found.streams.add(res)
}

const open = async (res: ServerResponse, sellerId: string, lastEventId: string): Promise<void> => {
  const found = await feedFor(sellerId)
  const position = lastEventId === "" ? found.last : positionOf(found.feed, lastEventId)
  res.once("close", () => found.streams.delete(res))
  res.writeHead(200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "private, no-cache, no-store",
  })
  res.write(openingFrame(found.feed, position))
  await catchUp(res, found, position)
}

const fail = (error: unknown): never => {
  console.error(error)
  process.exit(1)
}

setInterval(() => {
  for (const { streams } of followed.values()) for (const stream of streams) stream.write(pingFrame)
}, heartbeatMillis)

const clientId = Number(await blocking.client("ID"))
const readForEver = async (): Promise<void> => {
  for (;;) await readOn()
}
readForEver().catch(fail)

const server = createServer((req, res) => {
  const { searchParams } = new URL(req.url ?? "/", "http://localhost")
  const lastEventId = req.headers["last-event-id"]
  open(res, searchParams.get("feed") ?? "", String(lastEventId ?? "")).catch(fail)
})
server.listen(Number(process.env.PORT), "127.0.0.1", () => {
  const address = server.address()
  console.log(`listening on http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`)
})
