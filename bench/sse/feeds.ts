import { randomBytes } from "node:crypto"
import type { Redis } from "ioredis"
import { type Feed, makeApiKey, makeId } from "../../schema/ids.ts"
import { hashApiKey } from "../../src/accounts/apiKeys/apiKeySecret.ts"
import * as keys from "../../src/store/keys.ts"
import type { StreamName } from "./streamEnvironment.ts"

/** The service's default of PARTITIONS. */
const partitions = 64

/** A seller's test-mode feed, and a key that may follow it. */
export interface BenchFeed {
  readonly feed: Feed
  readonly apiKey: string
}

/**
 * Writes feeds of sellers that have nothing but an API key straight into Redis: creating thousands of whole sellers
 * would take minutes, mostly for hashing.
 */
export const makeFeeds = async (redis: Redis, count: number): Promise<ReadonlyArray<BenchFeed>> => {
  const pipeline = redis.pipeline()
  const feeds = Array.from({ length: count }, (_, index): BenchFeed => {
    const partition = index % partitions
    const sellerId = makeId("sel_", Date.now(), partition, randomBytes(14))
    const apiKey = makeApiKey("test", partition, randomBytes(41))
    pipeline.hset(keys.apiKeyKey(partition, hashApiKey(apiKey)), {
      seller: sellerId,
      id: makeId("key_", Date.now(), partition, randomBytes(14)),
      mode: "test",
      revoke_at: "",
    })
    return { feed: { sellerId, mode: "test" }, apiKey }
  })
  await pipeline.exec()
  return feeds
}

/** The request that opens a stream. The service finds the feed by the key, the others by the query. */
export const streamRequest = (name: StreamName, { feed, apiKey }: BenchFeed, lastEventId?: string): string =>
  [
    `GET /events${name === "corrente" ? "" : `?feed=${feed.sellerId}`} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${apiKey}`,
    "Accept: text/event-stream",
    ...(lastEventId === undefined ? [] : [`Last-Event-ID: ${lastEventId}`]),
    "\r\n",
  ].join("\r\n")
