import type { Redis } from "ioredis"
import { renderEventFrame } from "../../actors/event/envelope.ts"
import type { EventEntry } from "../../actors/ports/eventLog.ts"
import { entryIdOf, eventIdOf, type Feed } from "../../schema/ids.ts"
import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { makePaymentUrls } from "../../src/payments/paymentUrls.ts"
import { makeRestore } from "../../src/payments/restore.ts"
import { readEntries } from "../../src/store/events/eventLog.ts"
import * as keys from "../../src/store/keys.ts"
import { publicUrl } from "../support/publicUrl.ts"

/** Entries per read. */
const batchEntries = 500

/** Interval of heartbeats, as in the service. */
export const heartbeatMillis = 15_000

/** The heartbeat comment. */
export const pingFrame: Uint8Array = Buffer.from(": ping\n\n")

const encryptionKey = Buffer.from(process.env.ENCRYPTION_KEY ?? "", "base64")
const restore = makeRestore({
  open: makeCipher(plainKey(encryptionKey)).open,
  urls: makePaymentUrls(plainKey(encryptionKey), () => publicUrl),
})

/** The test feed of a seller. */
export const feedOf = (sellerId: string): Feed => ({ sellerId, mode: "test" })

/** The frames of entries, byte for byte the service's. */
export const encodeFrames = (feed: Feed, entries: ReadonlyArray<EventEntry>): Uint8Array =>
  Buffer.from(entries.map((entry) => renderEventFrame(feed, entry, restore)).join(""))

/** The opening frames of a stream, byte for byte the service's. */
export const openingFrame = (feed: Feed, position: string): Uint8Array => {
  const ready = { mode: feed.mode, last_event_id: position === "0-0" ? null : eventIdOf(feed, position) }
  return Buffer.from(`retry: 3000\n\nevent: ready\ndata: ${JSON.stringify(ready)}\n\n`)
}

/** The entry named by a client's `Last-Event-ID`. */
export const positionOf = (feed: Feed, lastEventId: string): string => entryIdOf(feed, lastEventId) ?? "0-0"

/** The newest entry of a feed. */
export const newestOf = async (redis: Redis, feed: Feed): Promise<string> =>
  (await redis.hget(keys.feedKey(feed), "last")) ?? "0-0"

/** The entries that follow one. */
export const readAfter = async (
  redis: Redis,
  feed: Feed,
  position: string,
): Promise<ReadonlyArray<EventEntry>> =>
  readEntries(await redis.xrange(keys.eventsKey(feed), `(${position}`, "+", "COUNT", batchEntries))
