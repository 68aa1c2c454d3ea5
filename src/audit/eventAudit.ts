import { Effect } from "effect"
import { type Feed, isId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { type AuditAnchor, auditEvents, type EventHead } from "../store/audit.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { differs, type Fault, shown } from "./difference.ts"
import { eventIdsOf } from "./entryLookup.ts"
import { chargeKind, refundKind, withdrawalKind } from "./kinds.ts"
import { type AuditFailure, type Fields, lookAgain, readFields } from "./reads.ts"
import type { MoneyKind, NamedResource, Sighting } from "./resourceKind.ts"

type Client = RedisClient["Service"]

const entryIdPattern = /^\d+-\d+$/

/** Whether entry `one` is older than `other`. */
export const isOlder = (one: string, other: string): boolean => {
  const [millis = 0, sequence = 0] = one.split("-").map(Number)
  const [otherMillis = 0, otherSequence = 0] = other.split("-").map(Number)
  return millis < otherMillis || (millis === otherMillis && sequence < otherSequence)
}

/** The range of one entry; for text that is not an entry's id, a range that finds nothing. */
const rangeOf = (entryId: string): readonly [string, string] =>
  entryIdPattern.test(entryId) ? [entryId, entryId] : ["0-0", "0-0"]

/** The fault of the events that a hash names; `oldest` is the oldest entry that the feed keeps. */
const eventsFault = (
  kind: MoneyKind,
  { id, record }: Pick<Sighting, "id" | "record">,
  heads: ReadonlyMap<string, EventHead>,
  oldest: string | undefined,
): Fault | undefined => {
  const types: Array<string | undefined> = []
  for (const entryId of eventIdsOf(record)) {
    const head = heads.get(entryId)
    if (!entryIdPattern.test(entryId))
      return { expected: "ids of entries of the feed", found: shown(entryId) }
    if (head === undefined && (oldest === undefined || !isOlder(entryId, oldest))) {
      return { expected: `entry ${entryId} in the feed`, found: "none" }
    }
    if (head !== undefined && head.resourceId !== id) {
      return { expected: `an event of ${id} in entry ${entryId}`, found: `one of ${shown(head.resourceId)}` }
    }
    types.push(head?.type)
  }
  return kind.eventsFault(record, types)
}

/** The least entry id that a feed without entries has not had: retention has dropped all before it. */
const afterNewest = (client: Client, feed: Feed) =>
  Effect.map(client.call("HGET", [keys.feedKey(feed), "last"]), (last) => {
    if (last === null) return undefined
    const [millis, sequence] = String(last).split("-")
    return `${millis}-${Number(sequence) + 1}`
  })

/** Reads the events that hashes name, and the oldest entry that the feed keeps. */
const readNamed = Effect.fnUntraced(function* (client: Client, feed: Feed, records: ReadonlyArray<Fields>) {
  const entryIds = records.flatMap(eventIdsOf)
  // All in one step, so that retention trims nothing in between.
  const found = yield* auditEvents(client, feed, [...entryIds.map(rangeOf), ["-", "+"]], 1)
  const heads = new Map(found.slice(0, -1).flatMap((range) => range.map((head) => [head.entryId, head])))
  const oldest = found.at(-1)?.[0]?.entryId
  return { heads, oldest: oldest ?? (yield* afterNewest(client, feed)) }
})

/** Checks that every status that the page's resources have passed has one event, as far as the feed keeps them. */
export const auditEventsOf = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  kind: MoneyKind,
  sightings: ReadonlyArray<Sighting>,
) {
  if (sightings.length === 0) return
  const { heads, oldest } = yield* readNamed(
    client,
    feed,
    sightings.map(({ record }) => record),
  )
  const suspects = sightings.filter((item) => eventsFault(kind, item, heads, oldest) !== undefined)
  for (const { id } of suspects) {
    yield* lookAgain(
      Effect.gen(function* () {
        const names = ["status", ...kind.fields]
        const record = readFields(names, yield* client.call("HMGET", [kind.hashKey(id), ...names]))
        const named = yield* readNamed(client, feed, [record])
        const fault = eventsFault(kind, { id, record }, named.heads, named.oldest)
        if (fault !== undefined) yield* differs(kind.check, kind.hashKey(id), fault)
      }),
    )
  }
})

/** The kind of an event's resource; undefined for kinds that audits do not check by their events. */
const kindOf = ({ resourceId }: EventHead): MoneyKind | undefined => {
  if (isId("txn_", resourceId)) return chargeKind
  if (isId("rfd_", resourceId)) return refundKind
  return isId("wd_", resourceId) ? withdrawalKind : undefined
}

/**
 * Checks that the hash of each kept event's charge, withdrawal or refund names it: one commit writes both. Returns the
 * resources whose newest event is among these.
 */
const auditNames = Effect.fnUntraced(function* (client: Client, feed: Feed, heads: ReadonlyArray<EventHead>) {
  const named = heads.flatMap((head) => {
    const kind = kindOf(head)
    return kind === undefined ? [] : [{ head, kind, key: kind.hashKey(head.resourceId) }]
  })
  const replies = yield* client.callAll(named.map(({ key }) => ["HGET", [key, "events"]] as const))
  const newest: Array<NamedResource> = []
  for (const [i, { head, kind, key }] of named.entries()) {
    const eventIds = String(replies[i] ?? "").split(" ")
    if (!eventIds.includes(head.entryId)) {
      return yield* differs("feed", key, {
        expected: `entry ${head.entryId} of ${keys.eventsKey(feed)} among its events`,
        found: "events without it",
      })
    }
    if (eventIds.at(-1) === head.entryId) newest.push({ kind, id: head.resourceId })
  }
  return newest
})

/** Where the feed's hash differs from its stream. */
const anchorFault = (anchor: AuditAnchor): Fault | undefined => {
  const { feedSeq, feedLast, newestEventSeq, newestEventEntryId } = anchor
  if (feedLast !== newestEventEntryId) {
    return { expected: `last ${newestEventEntryId || "to be empty"}`, found: shown(feedLast) }
  }
  return feedSeq === newestEventSeq
    ? undefined
    : { expected: `seq ${newestEventSeq || "to be empty"}`, found: shown(feedSeq) }
}

/** The event that a page must follow; undefined if retention has trimmed the one that the page before ended with. */
const lastKept = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  position: EventHead | undefined,
  next: EventHead,
) {
  if (position === undefined || Number(next.seq) === Number(position.seq) + 1) return position
  const [oldest = []] = yield* auditEvents(client, feed, [["-", "+"]], 1)
  const oldestId = oldest[0]?.entryId ?? next.entryId
  return isOlder(position.entryId, oldestId) ? undefined : position
})

/** The first entry of a page whose seq does not follow; without an entry before it, the first may have any seq. */
const gapFault = (page: ReadonlyArray<EventHead>, before: EventHead | undefined): Fault | undefined => {
  let seq = before === undefined ? Number(page[0]?.seq) : Number(before.seq) + 1
  for (const head of page) {
    if (head.seq !== String(seq) || !(seq >= 1)) {
      return { expected: `seq ${seq} in entry ${head.entryId}`, found: shown(head.seq) }
    }
    seq += 1
  }
  return undefined
}

/**
 * Checks a feed's events after one, or all that are kept: seq without a gap, up to the newest that its hash names. `step`
 * gets the resources of each page whose newest event is in it. Returns how many events there are.
 */
export const auditFeed = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  anchor: AuditAnchor,
  after: EventHead | undefined,
  step: (changed: ReadonlyArray<NamedResource>) => Effect.Effect<void, AuditFailure>,
): Effect.fn.Return<number, AuditFailure> {
  const fault = anchorFault(anchor)
  if (fault !== undefined) return yield* differs("feed", keys.feedKey(feed), fault)
  const newest = anchor.newestEventEntryId
  let position = after
  let count = 0
  while (newest !== "" && position?.entryId !== newest) {
    const from: string = position === undefined ? "-" : `(${position.entryId}`
    const [page = []] = yield* auditEvents(client, feed, [[from, newest]], limits.auditPageEntries)
    const [first] = page
    if (first === undefined) return count
    const gap = gapFault(page, yield* lastKept(client, feed, position, first))
    if (gap !== undefined) return yield* differs("feed", keys.eventsKey(feed), gap)
    yield* step(yield* auditNames(client, feed, page))
    count += page.length
    position = page.at(-1)
  }
  return count
})
