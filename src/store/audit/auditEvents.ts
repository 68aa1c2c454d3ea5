import { Effect } from "effect"
import type { Feed } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient, Reply } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["events"],
  args: ["entries_max", "...ranges"],
})

/** An event's entry without its data, as the stored strings. */
export interface EventHead {
  readonly entryId: string
  readonly seq: string
  readonly type: string
  readonly resourceId: string
}

const readHeads = (reply: Reply): ReadonlyArray<EventHead> => {
  const found = words(reply)
  return Array.from({ length: Math.floor(found.length / 4) }, (_, i) => ({
    entryId: found[i * 4] ?? "",
    seq: found[i * 4 + 1] ?? "",
    type: found[i * 4 + 2] ?? "",
    resourceId: found[i * 4 + 3] ?? "",
  }))
}

/** Reads ranges of a feed without the events' data, at most `entriesMax` entries of each; ranges as XRANGE takes them. */
export const auditEvents = (
  client: RedisClient["Service"],
  feed: Feed,
  ranges: ReadonlyArray<readonly [first: string, last: string]>,
  entriesMax: number,
) =>
  Effect.map(
    callFunction(
      client,
      declaration,
      { events: keys.eventsKey(feed) },
      { entries_max: entriesMax, ranges: ranges.flat() },
    ),
    (reply): ReadonlyArray<ReadonlyArray<EventHead>> =>
      ((reply ?? []) as ReadonlyArray<Reply>).map(readHeads),
  )
