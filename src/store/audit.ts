import { Effect } from "effect"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import type { Feed } from "../../schema/ids.ts"
import * as keys from "./keys.ts"
import { callFunction, unexpectedReply } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import type { RedisClient, Reply } from "./redis/redisClient.ts"
import { readHash, readKind, words } from "./redis/reply.ts"

type Client = RedisClient["Service"]

const anchorFunction = luaFunction("audit.anchor", {
  keys: ["balance", "ledger", "feed", "events"],
  isReadOnly: true,
})

/** The state of a seller's and mode's ledger and feed at one moment; what is absent is an empty string. */
export interface AuditAnchor {
  /** The hash of the balance. */
  readonly balance: Readonly<Record<string, string>>
  readonly newestLedgerEntryId: string
  /** As the feed's hash has it. */
  readonly feedSeq: string
  readonly feedLast: string
  /** As the feed's stream has it. */
  readonly newestEventEntryId: string
  readonly newestEventSeq: string
}

/** Reads what an audit of a feed starts from, in one step. */
export const auditAnchor = (client: Client, feed: Feed) =>
  Effect.map(
    callFunction(client, anchorFunction, {
      balance: keys.balanceKey(feed),
      ledger: keys.ledgerKey(feed),
      feed: keys.feedKey(feed),
      events: keys.eventsKey(feed),
    }),
    (reply): AuditAnchor => {
      const [ledger = "", feedSeq = "", feedLast = "", event = "", eventSeq = "", ...balance] = words(reply)
      return {
        balance: readHash(balance),
        newestLedgerEntryId: ledger,
        feedSeq,
        feedLast,
        newestEventEntryId: event,
        newestEventSeq: eventSeq,
      }
    },
  )

const eventsFunction = luaFunction("audit.events", { keys: ["events"], isReadOnly: true })

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
  client: Client,
  feed: Feed,
  ranges: ReadonlyArray<readonly [first: string, last: string]>,
  entriesMax: number,
) =>
  Effect.map(
    callFunction(client, eventsFunction, { events: keys.eventsKey(feed) }, { entriesMax, ranges }),
    (reply): ReadonlyArray<ReadonlyArray<EventHead>> =>
      ((reply ?? []) as ReadonlyArray<Reply>).map(readHeads),
  )

const repairCountersFunction = luaFunction("audit.repair_counters", { keys: ["balance", "ledger"] })

type Field = readonly [name: string, value: string]

/** What a ledger adds up to, up to its newest entry ("": none). */
export interface LedgerTotals {
  readonly newestEntryId: string
  readonly counters: ReadonlyArray<Field>
  readonly buckets: ReadonlyArray<Field>
}

/** The counters that were repaired, with what they were; `stale`: the ledger has grown; `money`: a bucket differs. */
export type CounterRepair =
  | { readonly kind: "repaired"; readonly before: ReadonlyArray<Field> }
  | { readonly kind: "stale" | "money" }

/** Sets the counters of a balance to a ledger's totals, if its buckets already are those. */
export const repairCounters = (
  client: Client,
  feed: Feed,
  { newestEntryId, counters, buckets }: LedgerTotals,
): Effect.Effect<CounterRepair, StoreUnavailable> =>
  Effect.flatMap(
    callFunction(
      client,
      repairCountersFunction,
      { balance: keys.balanceKey(feed), ledger: keys.ledgerKey(feed) },
      { newestEntry: newestEntryId || undefined, counters, buckets },
    ),
    (reply): Effect.Effect<CounterRepair, StoreUnavailable> => {
      const [kind, ...fields] = words(reply)
      if (kind === "stale" || kind === "money") return Effect.succeed({ kind })
      if (kind !== "repaired") return Effect.fail(unexpectedReply(repairCountersFunction, reply))
      const before = fields.flatMap(
        (name, i): ReadonlyArray<Field> => (i % 2 === 0 ? [[name, fields[i + 1] ?? ""]] : []),
      )
      return Effect.succeed({ kind, before })
    },
  )

const repairIndexesFunction = luaFunction("audit.repair_indexes", {
  keys: ["resource", "index", "...statusIndexes"],
})

/** A resource, the index of all, and the indexes by status with their statuses. */
export interface IndexedResource {
  readonly id: string
  readonly hashKey: string
  readonly indexKey: string
  readonly statusIndexes: ReadonlyArray<readonly [key: string, status: string]>
}

/**
 * What a repair did: of each index that it changed `+` or `-` and its key. `lost`: the indexes agree that there is a
 * resource, but it has no hash. `unknown`: its status has no index.
 */
export type IndexRepair =
  | { readonly kind: "mended"; readonly changes: ReadonlyArray<string> }
  | { readonly kind: "lost" | "unknown" }

/** Makes the indexes of a resource of a seller and mode agree with its hash, in one step. */
export const repairIndexes = (
  client: Client,
  { sellerId, mode }: Feed,
  { id, hashKey, indexKey, statusIndexes }: IndexedResource,
): Effect.Effect<IndexRepair, StoreUnavailable> =>
  Effect.flatMap(
    callFunction(
      client,
      repairIndexesFunction,
      { resource: hashKey, index: indexKey, statusIndexes: statusIndexes.map(([key]) => key) },
      { id, sellerId, mode, statuses: statusIndexes.map(([, status]) => status) },
    ),
    (reply): Effect.Effect<IndexRepair, StoreUnavailable> => {
      const [kind, ...changes] = words(reply)
      if (kind === "mended") return Effect.succeed({ kind, changes })
      if (kind === "lost" || kind === "unknown") return Effect.succeed({ kind })
      return Effect.fail(unexpectedReply(repairIndexesFunction, reply))
    },
  )

const repairReleasesFunction = luaFunction("audit.repair_releases", { keys: ["ledger", "releases"] })

/** A calendar of releases by its fields, as a ledger that ends with an entry ("": none) has it. */
export interface ReleaseRepair {
  readonly newestEntryId: string
  readonly calendar: Readonly<Record<string, string>>
}

/** Sets a calendar of releases; false if the ledger has grown since it was added up. */
export const repairReleases = (client: Client, feed: Feed, { newestEntryId, calendar }: ReleaseRepair) =>
  callFunction(
    client,
    repairReleasesFunction,
    { ledger: keys.ledgerKey(feed), releases: keys.releasesKey(feed) },
    { newestEntry: newestEntryId || undefined, fields: Object.entries(calendar) },
  ).pipe(
    Effect.flatMap(readKind(repairReleasesFunction, { repaired: "repaired", stale: "stale" })),
    Effect.map(({ kind }) => kind === "repaired"),
  )

const repairSeriesFunction = luaFunction("audit.repair_series", { keys: ["feed"] })

/** The counts of hours (since 1970), as a feed that ends with an entry has them. */
export interface SeriesRepair {
  readonly last: string
  readonly countNames: ReadonlyArray<string>
  readonly hours: ReadonlyArray<{ readonly hour: number; readonly counts: ReadonlyArray<string> }>
}

/** Sets counts; false if the feed has grown since they were added up. */
export const repairSeries = (client: Client, feed: Feed, { last, countNames, hours }: SeriesRepair) =>
  callFunction(
    client,
    repairSeriesFunction,
    { feed: keys.feedKey(feed) },
    {
      sellerId: feed.sellerId,
      mode: feed.mode,
      last,
      counts: hours.flatMap(({ hour, counts }) =>
        countNames.map((name, i) => ({
          day: Math.floor(hour / 24),
          field: `${hour % 24}:${name}`,
          value: counts[i] ?? "0",
        })),
      ),
    },
  ).pipe(
    Effect.flatMap(readKind(repairSeriesFunction, { repaired: "repaired", stale: "stale" })),
    Effect.map(({ kind }) => kind === "repaired"),
  )

const repairLinkFunction = luaFunction("audit.repair_link", { keys: ["paymentLink"] })

/** What a payment link counts: payments, their sum in centavos, and pending charges. */
export type LinkCounts = readonly [payments: string, paidAmount: string, pending: string]

/** Sets the counts of a payment link; false if they have changed since they were read as `stored`. */
export const repairLinkCounts = (
  client: Client,
  linkId: string,
  { stored, expected }: { readonly stored: LinkCounts; readonly expected: LinkCounts },
) =>
  callFunction(
    client,
    repairLinkFunction,
    { paymentLink: keys.paymentLinkKey(linkId) },
    { before: stored, counts: expected },
  ).pipe(
    Effect.flatMap(readKind(repairLinkFunction, { repaired: "repaired", stale: "stale" })),
    Effect.map(({ kind }) => kind === "repaired"),
  )

/** How the last audit of all data ended, for every process. */
export interface StoredAuditResult {
  /** Which check found a difference; undefined: none did. */
  readonly differingCheck: string | undefined
  readonly endedMillis: number
  /** When the mode was last audited from the beginning for which that is longest ago; undefined: not known. */
  readonly oldestFullMillis: number | undefined
}

/** Writes how an audit ended. */
export const writeAuditResult = (client: Client, result: StoredAuditResult) => {
  const { differingCheck = "", endedMillis, oldestFullMillis = "" } = result
  return Effect.asVoid(
    client.call("HSET", [
      keys.auditResultKey,
      ...["differing_check", differingCheck, "ended_at", endedMillis, "oldest_full_at", oldestFullMillis],
    ]),
  )
}

/** Reads how the last audit ended; undefined: none has. */
export const readAuditResult = (client: Client) =>
  Effect.map(client.call("HGETALL", [keys.auditResultKey]), (reply): StoredAuditResult | undefined => {
    const { differing_check, ended_at, oldest_full_at } = readHash(reply)
    if (ended_at === undefined) return undefined
    return {
      differingCheck: differing_check || undefined,
      endedMillis: Number(ended_at),
      oldestFullMillis: oldest_full_at ? Number(oldest_full_at) : undefined,
    }
  })
