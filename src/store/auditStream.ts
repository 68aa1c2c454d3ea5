import { Effect } from "effect"
import { limits } from "../../schema/limits.ts"
import type { RedisClient, Reply } from "./redis/redisClient.ts"

/** An entry of a stream of acts. */
export interface StreamEntry {
  readonly id: string
  /** The value of a field; "" if the entry has none of that name. */
  readonly field: (name: string) => string
}

/** A page of entries, newest first. */
export interface EntriesWanted<Entry> {
  /** Only entries with ids below this one. */
  readonly beforeId: string | undefined
  readonly limit: number
  /** Both inclusive, in ms; undefined: without that end. */
  readonly fromMillis?: number | undefined
  readonly toMillis?: number | undefined
  /** Only entries for which it is true. Left out: all. */
  readonly matches?: (entry: Entry) => boolean
}

/** Up to `limit` entries; `nextBeforeId` begins the next page, and is undefined at the end. */
export interface EntriesFound<Entry> {
  readonly entries: ReadonlyArray<Entry>
  readonly nextBeforeId: string | undefined
}

/** A stretch of a stream, oldest first. */
export interface SpanWanted {
  /** Only entries with ids above this one. */
  readonly afterId: string | undefined
  readonly fromMillis?: number | undefined
  readonly toMillis?: number | undefined
  readonly count: number
}

const readEntry = (reply: Reply): StreamEntry => {
  const [id = "", values] = reply as readonly [string, ReadonlyArray<string>]
  const fields = new Map<string, string>()
  for (let i = 0; i + 1 < values.length; i += 2) fields.set(values[i] ?? "", values[i + 1] ?? "")
  return { id, field: (name) => fields.get(name) ?? "" }
}

const entriesOf = (reply: Reply) => ((reply ?? []) as ReadonlyArray<Reply>).map(readEntry)

/** A time as a bound of a range: Redis has no ids before 1970. */
const bound = (millis: number | undefined, none: string): string =>
  millis === undefined ? none : String(Math.max(millis, 0))

/** The time of an entry's id, in ISO 8601. */
export const entryTime = (id: string): string => new Date(Number.parseInt(id, 10)).toISOString()

/**
 * Reads a page, newest first. Where a filter leaves few, it examines up to `filterScanEntriesMax` entries; the page is then short, and
 * the next one goes on from there.
 */
export const readPage =
  <Entry extends { readonly id: string }>(
    client: RedisClient["Service"],
    key: string,
    read: (entry: StreamEntry) => Entry,
  ) =>
  ({ beforeId, limit, fromMillis, toMillis, matches = () => true }: EntriesWanted<Entry>) =>
    Effect.gen(function* () {
      const start = bound(fromMillis, "-")
      const entries: Array<Entry> = []
      let end = beforeId === undefined ? bound(toMillis, "+") : `(${beforeId}`
      for (let scanned = 0; scanned < limits.filterScanEntriesMax; scanned += limits.auditBatchEntries) {
        const reply = yield* client.call("XREVRANGE", [key, end, start, "COUNT", limits.auditBatchEntries])
        const batch = entriesOf(reply).map(read)
        for (const entry of batch) {
          if (!matches(entry)) continue
          // One entry more than the page shows whether another page follows.
          if (entries.length === limit) return { entries, nextBeforeId: entries.at(-1)?.id }
          entries.push(entry)
        }
        if (batch.length < limits.auditBatchEntries) return { entries, nextBeforeId: undefined }
        end = `(${batch.at(-1)?.id}`
      }
      return { entries, nextBeforeId: end.slice(1) }
    })

/** Reads up to `count` entries of a stretch, oldest first. */
export const readSpan =
  <Entry>(client: RedisClient["Service"], key: string, read: (entry: StreamEntry) => Entry) =>
  ({ afterId, fromMillis, toMillis, count }: SpanWanted) => {
    const start = afterId === undefined ? bound(fromMillis, "-") : `(${afterId}`
    return Effect.map(
      client.call("XRANGE", [key, start, bound(toMillis, "+"), "COUNT", count]),
      (reply): ReadonlyArray<Entry> => entriesOf(reply).map(read),
    )
  }
