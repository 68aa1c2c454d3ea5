import { Effect, Result } from "effect"
import type { Feed } from "../../schema/ids.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient, RedisCommand } from "../store/redis/redisClient.ts"
import { differs } from "./difference.ts"
import { isNearItsEvent } from "./entryLookup.ts"
import { auditCredits } from "./exceptionMoney.ts"
import { chargeKind, refundKind, withdrawalKind } from "./kinds.ts"
import { type LedgerRecord, readLedgerEntry } from "./ledgerEntry.ts"
import { entryFault, foldEntry, type LedgerFold, type LedgerPosition } from "./ledgerFold.ts"
import { type AuditFailure, readFields, readStream } from "./reads.ts"
import type { MoneyKind, NamedResource } from "./resourceKind.ts"

type Client = RedisClient["Service"]

/** The kinds that ledger entries name; those of exceptions are checked where exceptions are. */
const kinds: Readonly<Record<LedgerRecord["resourceType"], MoneyKind | undefined>> = {
  transaction: chargeKind,
  withdrawal: withdrawalKind,
  refund: refundKind,
  exception: undefined,
}

/** What a page of entries names: the entries of resources that are there, and those resources that their hashes do not lead to. */
interface Named {
  readonly records: ReadonlyArray<LedgerRecord>
  readonly suspects: ReadonlyArray<NamedResource>
}

/** Those of some ids that test mode has deleted while entries still name them. */
const deletedOf = Effect.fnUntraced(function* (client: Client, feed: Feed, ids: ReadonlyArray<string>) {
  if (feed.mode === "live") return new Set<string>()
  const key = keys.ledgerDeletedKey(feed)
  const scores = yield* client.callAll(ids.map((id): RedisCommand => ["ZSCORE", [key, id]]))
  return new Set(ids.filter((_, i) => scores[i] !== null))
})

/**
 * Checks that the index of each entry's resource holds it: one commit writes both. A resource that test mode has deleted is in the
 * set of those instead.
 */
const auditNamed = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  records: ReadonlyArray<LedgerRecord>,
) {
  const named = new Map<string, NamedResource & { readonly record: LedgerRecord }>()
  for (const record of records) {
    const kind = kinds[record.resourceType]
    if (kind !== undefined) named.set(record.resourceId, { kind, id: record.resourceId, record })
  }
  const resources = [...named.values()]
  const names = ["events", "release"]
  const replies = yield* client.callAll([
    ...resources.map(({ kind, id }): RedisCommand => ["ZSCORE", [kind.indexKey(feed), id]]),
    ...resources.map(({ kind, id }): RedisCommand => ["HMGET", [kind.hashKey(id), ...names]]),
  ])
  const unlisted = resources.filter((_, i) => replies[i] === null)
  const deleted = yield* deletedOf(
    client,
    feed,
    unlisted.map(({ id }) => id),
  )
  const missing = unlisted.find(({ id }) => !deleted.has(id))
  if (missing !== undefined) {
    const { kind, id, record } = missing
    yield* differs("ledger", kind.indexKey(feed), {
      expected: `${id} in it, since entry ${record.entryId} of ${keys.ledgerKey(feed)} names it`,
      found: "no such id",
    })
  }
  const hashes = new Map(resources.map(({ id }, i) => [id, readFields(names, replies[resources.length + i])]))
  const isLed = (record: LedgerRecord): boolean => {
    const kind = kinds[record.resourceType]
    return kind === undefined || isNearItsEvent(kind, hashes.get(record.resourceId) ?? {}, record)
  }
  const present = records.filter(({ resourceId }) => !deleted.has(resourceId))
  const astray = new Set(present.filter((record) => !isLed(record)).map(({ resourceId }) => resourceId))
  const found: Named = {
    records: present,
    suspects: resources.filter(({ id }) => astray.has(id)).map(({ kind, id }) => ({ kind, id })),
  }
  return found
})

/** What an audit of a ledger found. */
export interface LedgerAudit {
  readonly end: LedgerPosition
  /** The sums up to the entry that was asked for; undefined if it was not read. */
  readonly markedFold: LedgerFold | undefined
}

/** A page of entries of resources that are there, and those of them with entries that their hashes do not lead to. */
export type LedgerStep = (
  records: ReadonlyArray<LedgerRecord>,
  suspects: ReadonlyArray<NamedResource>,
) => Effect.Effect<void, AuditFailure>

/**
 * Checks the ledger of a seller and mode after a position, entry by entry up to `lastEntryId`: seq, sums, the balance that
 * each says it left, and that the resource exists that it names. Returns the sums, also those at the entry `markedEntryId`.
 */
export const auditLedger = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  start: LedgerPosition,
  lastEntryId: string,
  markedEntryId: string | undefined,
  step: LedgerStep,
): Effect.fn.Return<LedgerAudit, AuditFailure> {
  const ledger = keys.ledgerKey(feed)
  let { entryId: position, fold } = start
  let markedFold = markedEntryId === position ? fold : undefined
  while (position !== lastEntryId) {
    const page = yield* readStream(client, ledger, position, lastEntryId)
    if (page.length === 0) {
      yield* differs("ledger", ledger, { expected: `entry ${lastEntryId}`, found: "none" })
    }
    const records: Array<LedgerRecord> = []
    for (const raw of page) {
      const read = readLedgerEntry(raw)
      if (Result.isFailure(read)) return yield* differs("ledger", ledger, read.failure)
      const record = read.success
      fold = foldEntry(fold, record)
      const fault = entryFault(fold, record)
      if (fault !== undefined) return yield* differs("ledger", ledger, fault)
      if (record.entryId === markedEntryId) markedFold = fold
      records.push(record)
    }
    const present = yield* auditNamed(client, feed, records)
    yield* step(present.records, present.suspects)
    yield* auditCredits(client, feed, records)
    position = page.at(-1)?.[0] ?? position
  }
  return { end: { entryId: position, fold }, markedFold }
})
