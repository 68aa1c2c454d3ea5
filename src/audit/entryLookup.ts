import { Effect, Result } from "effect"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { differs } from "./difference.ts"
import { type LedgerRecord, type RawEntry, readLedgerEntry } from "./ledgerEntry.ts"
import type { Fields } from "./reads.ts"
import type { MoneyKind } from "./resourceKind.ts"

type Client = RedisClient["Service"]

const millisOf = (entryId: string): number => Number(entryId.split("-")[0])

/** The ids of the events that a resource's hash names, from the oldest on. */
export const eventIdsOf = (record: Fields): ReadonlyArray<string> =>
  record.events === undefined || record.events === "" ? [] : record.events.split(" ")

/** Those of the events that may have moved money. */
const moneyEventsOf = (kind: MoneyKind, record: Fields): ReadonlyArray<string> =>
  eventIdsOf(record).slice(kind.eventsBeforeMoney)

/**
 * Whether {@link entriesNear} finds a resource's ledger entry: one commit appends the event first and then the entry, so it
 * lies at its event's time. An entry without an event is named by the hash.
 */
export const isNearItsEvent = (kind: MoneyKind, record: Fields, entry: LedgerRecord): boolean => {
  const { event, entryId } = entry
  if (event === "") return record.release === entryId
  const laterMillis = millisOf(entryId) - millisOf(event)
  return (
    laterMillis >= 0 &&
    laterMillis <= limits.auditEntryAfterEventMillis &&
    moneyEventsOf(kind, record).includes(event)
  )
}

/** When a resource's ledger entries must have been written, by its hash: in ms of the streams. */
export const entryTimesOf = (kind: MoneyKind, record: Fields): ReadonlyArray<number> =>
  [...moneyEventsOf(kind, record), ...(record.release === undefined ? [] : [record.release])]
    .map(millisOf)
    .filter(Number.isSafeInteger)

/** Ranges of ms that cover all the times, each up to the slack after it, in order and apart. */
const rangesOf = (times: ReadonlyArray<number>): ReadonlyArray<readonly [from: number, to: number]> => {
  const ranges: Array<[number, number]> = []
  for (const time of times.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1)
    const to = time + limits.auditEntryAfterEventMillis
    if (last === undefined || time > last[1] + 1) ranges.push([time, to])
    else last[1] = to
  }
  return ranges
}

/** The ledger entries of the resources that were written at the times, by resource and in order. */
export const entriesNear = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  resourceIds: ReadonlySet<string>,
  times: ReadonlyArray<number>,
) {
  const found = new Map<string, Array<LedgerRecord>>()
  if (times.length === 0) return found
  const ledger = keys.ledgerKey(feed)
  const replies = yield* client.callAll(
    rangesOf(times).map(([from, to]) => ["XRANGE", [ledger, from, to]] as const),
  )
  for (const raw of replies.flatMap((reply) => (reply ?? []) as unknown as ReadonlyArray<RawEntry>)) {
    // The resource's place among an entry's fields; readLedgerEntry checks all of them.
    if (!resourceIds.has(raw[1][7] ?? "")) continue
    const read = readLedgerEntry(raw)
    if (Result.isFailure(read)) return yield* differs("ledger", ledger, read.failure)
    const others = found.get(read.success.resourceId)
    if (others === undefined) found.set(read.success.resourceId, [read.success])
    else others.push(read.success)
  }
  return found
})
