import { Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { RedisClient, RedisCommand } from "../store/redis/redisClient.ts"
import { differs } from "./difference.ts"
import { type AuditFailure, lookAgain, readFields, readIds } from "./reads.ts"
import { type ResourceKind, type Sighting, sightingFault } from "./resourceKind.ts"

type Client = RedisClient["Service"]

const fieldsOf = (kind: ResourceKind): ReadonlyArray<string> => ["seller", "mode", "status", ...kind.fields]

const hashCommand = (kind: ResourceKind, id: string): RedisCommand => [
  "HMGET",
  [kind.hashKey(id), ...fieldsOf(kind)],
]

const partitionCommands = (kind: ResourceKind, feed: Feed, id: string): ReadonlyArray<RedisCommand> => {
  const { partitionIndexKey } = kind
  if (partitionIndexKey === undefined) return []
  return kind.statuses.map((status) => ["ZSCORE", [partitionIndexKey(feed, status), id]])
}

/** The statuses whose index holds the id, by the scores. */
const holders = (kind: ResourceKind, scores: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  kind.statuses.filter((_, i) => scores[i] !== null && scores[i] !== undefined)

const heldByPartition = (kind: ResourceKind, scores: ReadonlyArray<unknown>) =>
  kind.partitionIndexKey === undefined ? undefined : holders(kind, scores)

/** The commands that read a resource and all its indexes; {@link readSighting} reads their replies. */
const sightCommands = (kind: ResourceKind, feed: Feed, id: string): ReadonlyArray<RedisCommand> => [
  hashCommand(kind, id),
  ["ZSCORE", [kind.indexKey(feed), id]],
  ...kind.statuses.map((status): RedisCommand => ["ZSCORE", [kind.indexKey(feed, status), id]]),
  ...partitionCommands(kind, feed, id),
]

const readSighting = (kind: ResourceKind, id: string, replies: ReadonlyArray<unknown>): Sighting => {
  const [record, score, ...scores] = replies
  return {
    id,
    record: readFields(fieldsOf(kind), record),
    isIndexed: score !== null,
    heldBy: holders(kind, scores.slice(0, kind.statuses.length)),
    heldByPartition: heldByPartition(kind, scores.slice(kind.statuses.length)),
  }
}

/** Reads a resource and all its indexes, in one round trip. */
const sight = (client: Client, kind: ResourceKind, feed: Feed, id: string) =>
  Effect.map(client.callAll(sightCommands(kind, feed, id)), (replies) => readSighting(kind, id, replies))

/** Looks at a resource until it is without fault; fails if it never is. */
const sightWhole = (client: Client, kind: ResourceKind, feed: Feed, id: string) =>
  lookAgain(
    Effect.gen(function* () {
      const sighting = yield* sight(client, kind, feed, id)
      const fault = sightingFault(kind, feed, sighting)
      return fault === undefined ? sighting : yield* differs(kind.check, fault.key, fault)
    }),
  )

/**
 * Reads a page of an index, and what the indexes by status hold in the same range of ids. So every id that one of them
 * has too many or lacks is found without asking for every id in every index.
 */
export const readIndexPage = Effect.fnUntraced(function* (
  client: Client,
  kind: ResourceKind,
  feed: Feed,
  afterId: string,
) {
  const ids = yield* readIds(client, kind.indexKey(feed), afterId)
  const isLast = ids.length < limits.auditPageIds
  const range = [afterId === "" ? "-" : `(${afterId}`, isLast ? "+" : `[${ids.at(-1)}`]
  const limit = ["LIMIT", 0, limits.auditPageIds + 1]
  const byPartition = ids.map((id) => partitionCommands(kind, feed, id))
  const replies = yield* client.callAll([
    ...kind.statuses.map(
      (status): RedisCommand => ["ZRANGE", [kind.indexKey(feed, status), ...range, "BYLEX", ...limit]],
    ),
    ...ids.map((id) => hashCommand(kind, id)),
    ...byPartition.flat(),
  ])
  const ranges = kind.statuses.map((_, i) => new Set(replies[i] as ReadonlyArray<string>))
  const partitionFrom = kind.statuses.length + ids.length
  const sightings = ids.map((id, i): Sighting => {
    const width = byPartition[i]?.length ?? 0
    const from = partitionFrom + i * width
    return {
      id,
      record: readFields(fieldsOf(kind), replies[kind.statuses.length + i]),
      isIndexed: true,
      heldBy: kind.statuses.filter((_, place) => ranges[place]?.has(id) === true),
      heldByPartition: heldByPartition(kind, replies.slice(from, from + width)),
    }
  })
  const known = new Set(ids)
  const strangers = [...new Set(ranges.flatMap((range_) => [...range_]))].filter((id) => !known.has(id))
  return { sightings, strangers, nextAfterId: isLast ? undefined : ids.at(-1) }
})

/**
 * Checks every resource of a seller, mode and kind with its hash and its indexes, page by page; `step` gets the
 * resources of a page, which are without fault. Returns how many there are.
 */
export const auditIndexes = Effect.fnUntraced(function* <R>(
  client: Client,
  kind: ResourceKind,
  feed: Feed,
  step: (sightings: ReadonlyArray<Sighting>) => Effect.Effect<void, AuditFailure, R>,
): Effect.fn.Return<number, AuditFailure, R> {
  let afterId: string | undefined = ""
  let count = 0
  while (afterId !== undefined) {
    const page: {
      readonly sightings: ReadonlyArray<Sighting>
      readonly strangers: ReadonlyArray<string>
      readonly nextAfterId: string | undefined
    } = yield* readIndexPage(client, kind, feed, afterId)
    const whole: Array<Sighting> = []
    for (const sighting of page.sightings) {
      const isWhole = sightingFault(kind, feed, sighting) === undefined
      const seen = isWhole ? sighting : yield* sightWhole(client, kind, feed, sighting.id)
      if (seen.isIndexed) whole.push(seen)
    }
    for (const id of page.strangers) yield* sightWhole(client, kind, feed, id)
    count += whole.length
    yield* step(whole)
    afterId = page.nextAfterId
  }
  return count
})

/**
 * Checks some resources of a seller, mode and kind with their hashes and all their indexes; returns them, without fault. One
 * that is in no index is a difference.
 */
export const auditResources = Effect.fnUntraced(function* (
  client: Client,
  kind: ResourceKind,
  feed: Feed,
  ids: ReadonlyArray<string>,
): Effect.fn.Return<ReadonlyArray<Sighting>, AuditFailure> {
  const commands = ids.map((id) => sightCommands(kind, feed, id))
  const replies = yield* client.callAll(commands.flat())
  const whole: Array<Sighting> = []
  let from = 0
  for (const [i, id] of ids.entries()) {
    const width = commands[i]?.length ?? 0
    const sighting = readSighting(kind, id, replies.slice(from, from + width))
    from += width
    const isWhole = sighting.isIndexed && sightingFault(kind, feed, sighting) === undefined
    const seen = isWhole ? sighting : yield* sightWhole(client, kind, feed, id)
    if (!seen.isIndexed) {
      return yield* differs(kind.check, kind.indexKey(feed), { expected: `${id} in it`, found: "no such id" })
    }
    whole.push(seen)
  }
  return whole
})
