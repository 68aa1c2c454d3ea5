import { join } from "node:path"
import { Effect } from "effect"
import type { Redis } from "ioredis"
import { feedKeys } from "../../store/keys/feeds.ts"
import { folderError } from "../ownRedis/redisFolder.ts"
import { writeAndHash } from "./backupFolder.ts"
import { loadSnapshot } from "./scratchRedis.ts"
import { ask } from "./servers.ts"

/** The newest event of a feed at a snapshot's moment. */
export interface FeedPosition {
  readonly partition: string
  readonly seller: string
  readonly mode: string
  readonly seq: number
  /** Its entry id in the feed. */
  readonly entry: string
}

const feedsName = "feeds.jsonl"
const feedPattern = feedKeys.feed.name("{p*}", "*", "*")
const scanCount = 1_000

const positionOf = Effect.fnUntraced(function* (redis: Redis, key: string) {
  const [seq, entry] = (yield* ask(redis, "HMGET", key, "seq", "last")) as ReadonlyArray<string | null>
  const [, tag = "", seller = "", mode = ""] = key.split(":")
  const position: FeedPosition = {
    partition: tag.slice(1, -1),
    seller,
    mode,
    seq: Number(seq),
    entry: String(entry),
  }
  return position
})

/** Reads the positions of all feeds. SCAN may name a key twice. */
const positionsIn = Effect.fnUntraced(function* (redis: Redis) {
  const positions = new Map<string, FeedPosition>()
  let cursor = "0"
  do {
    const reply = yield* ask(redis, "SCAN", cursor, "MATCH", feedPattern, "COUNT", scanCount)
    const [next, names] = reply as readonly [string, ReadonlyArray<string>]
    const found = yield* Effect.forEach(names, (name) => positionOf(redis, name), {
      concurrency: "unbounded",
    })
    for (const [i, name] of names.entries()) {
      const position = found[i]
      if (position !== undefined) positions.set(name, position)
    }
    cursor = next
  } while (cursor !== "0")
  return [...positions.values()]
})

/**
 * Loads a snapshot in a redis-server of this machine, which verifies its checksum, and reads how many keys it has and the newest event of
 * each feed. Fails where it cannot be loaded.
 */
export const checkSnapshot = Effect.fn("checkSnapshot")(function* (file: string, db: number) {
  const redis = yield* loadSnapshot(file, db)
  return { keys: Number(yield* ask(redis, "DBSIZE")), feeds: yield* positionsIn(redis) }
}, Effect.scoped)

async function* linesOf(feeds: ReadonlyArray<FeedPosition>): AsyncGenerator<Buffer> {
  for (const feed of feeds) yield Buffer.from(`${JSON.stringify(feed)}\n`)
}

/** Writes the feeds' positions into a backup's folder, one a line. */
export const writeFeeds = (dir: string, feeds: ReadonlyArray<FeedPosition>) =>
  Effect.map(
    Effect.tryPromise({
      try: () => writeAndHash(linesOf(feeds), join(dir, feedsName)),
      catch: (cause) => folderError(dir, cause),
    }),
    (written) => ({ file: feedsName, ...written, count: feeds.length }),
  )
