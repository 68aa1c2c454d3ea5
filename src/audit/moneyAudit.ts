import { Effect, Result } from "effect"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { differs, type Fault, shown } from "./difference.ts"
import { entriesNear, entryTimesOf, eventIdsOf } from "./entryLookup.ts"
import { moneyKinds, refundKind } from "./kinds.ts"
import { type LedgerRecord, readLedgerEntry } from "./ledgerEntry.ts"
import { type AuditFailure, type Fields, lookAgain, readFields, readStream } from "./reads.ts"
import type { MoneyKind, NamedResource, Sighting } from "./resourceKind.ts"

type Client = RedisClient["Service"]

/** A resource whose ledger entries are being collected, and the check of them. */
interface Watched {
  readonly kind: MoneyKind
  readonly id: string
  /** Ids of the resources whose entries count as its own as well. */
  readonly related: ReadonlyArray<string>
  readonly fault: (entries: ReadonlyArray<LedgerRecord>) => Fault | undefined
  readonly entries: Array<LedgerRecord>
}

/** The kind of movement whose commit appends no event: the charge keeps its status. */
const silentKind = "reserve_released"

/** Kinds that had no event before refunds were resources of their own. */
const partialKinds: ReadonlySet<string> = new Set(["charge_partially_refunded", "charge_partial_chargeback"])

/** The fault of an entry that names another event than one of its resource's. */
const strayFault = (entry: LedgerRecord, events: ReadonlySet<string>): Fault | undefined => {
  const { event, kind, entryId } = entry
  const isSilent = event === "" && (kind === silentKind || partialKinds.has(kind))
  if (isSilent || (kind !== silentKind && events.has(event))) return undefined
  const expected = kind === silentKind ? "no event" : "one of its events"
  return { expected: `${expected} in ledger entry ${entryId}`, found: shown(event) }
}

const watch = (
  kind: MoneyKind,
  id: string,
  record: Fields,
  related: ReadonlyArray<string>,
  entries: Array<LedgerRecord>,
): Watched => {
  const moneyFault = kind.moneyFault(record)
  const events = new Set(eventIdsOf(record))
  return {
    kind,
    id,
    related,
    entries,
    fault: (found) => {
      for (const entry of found) {
        const stray = entry.resourceId === id ? strayFault(entry, events) : undefined
        if (stray !== undefined) return stray
      }
      return moneyFault(found)
    },
  }
}

/** Who watches a resource's entries, by its id. */
const watchersOf = (some: Iterable<Watched>): ReadonlyMap<string, ReadonlyArray<Watched>> => {
  const watchers = new Map<string, Array<Watched>>()
  for (const watched of some) {
    for (const id of [watched.id, ...watched.related]) {
      const others = watchers.get(id)
      if (others === undefined) watchers.set(id, [watched])
      else others.push(watched)
    }
  }
  return watchers
}

/** Collects the watched resources' entries after `from` up to `to` ("+": the ledger's end); returns the id where it ends. */
const collect = Effect.fnUntraced(function* (
  client: Client,
  ledger: string,
  some: Iterable<Watched>,
  from: string,
  to = "+",
) {
  const watchers = watchersOf(some)
  let position = from
  while (true) {
    const page = yield* readStream(client, ledger, position, to)
    for (const raw of page) {
      const read = readLedgerEntry(raw)
      if (Result.isFailure(read)) return yield* differs("ledger", ledger, read.failure)
      for (const { entries } of watchers.get(read.success.resourceId) ?? []) entries.push(read.success)
    }
    position = page.at(-1)?.[0] ?? position
    if (page.length < limits.auditPageEntries) return position
  }
})

const isFaulty = ({ fault, entries }: Watched): boolean => fault(entries) !== undefined

/** The related ids of resources of a kind, each as a list. */
const readRelated = (client: Client, kinds: ReadonlyArray<Pick<Watched, "kind" | "id">>) => {
  const named = kinds.flatMap(({ kind, id }) => (kind.relatedKey === undefined ? [] : [kind.relatedKey(id)]))
  return Effect.map(
    client.callAll(named.map((key) => ["ZRANGE", [key, 0, -1]] as const)),
    (replies): ReadonlyArray<ReadonlyArray<string>> => {
      let place = 0
      return kinds.map(({ kind }) =>
        kind.relatedKey === undefined ? [] : ((replies[place++] ?? []) as ReadonlyArray<string>),
      )
    },
  )
}

/** Reads the documents of watched resources again; one with more related resources than before has no entries yet. */
const readAnew = Effect.fnUntraced(function* (
  client: Client,
  some: ReadonlyArray<Pick<Watched, "kind" | "id" | "related" | "entries">>,
) {
  const replies = yield* client.callAll(
    some.map(({ kind, id }) => ["HMGET", [kind.hashKey(id), "status", ...kind.fields]] as const),
  )
  const relatedOf = yield* readRelated(client, some)
  return some.map(({ kind, id, related: before, entries }, i) => {
    const related = relatedOf[i] ?? []
    const record = readFields(["status", ...kind.fields], replies[i])
    return watch(kind, id, record, related, related.length === before.length ? entries : [])
  })
})

/**
 * Compares the documents of a window of suspects with the whole ledger. Documents are read before the ledger, which may have
 * grown since; so if the two differ, the documents and the ledger's newer entries are read again.
 */
const settle = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  window: ReadonlyArray<NamedResource>,
) {
  const ledger = keys.ledgerKey(feed)
  const fresh = yield* readAnew(
    client,
    window.map(({ kind, id }) => ({ kind, id, related: [], entries: [] })),
  )
  let position = yield* collect(client, ledger, fresh, "")
  let suspects = fresh.filter(isFaulty)
  const look = Effect.gen(function* () {
    const before = new Map(suspects.map(({ id, entries }) => [id, entries]))
    suspects = yield* readAnew(client, suspects)
    const grown = suspects.filter(({ id, entries }) => before.get(id) !== entries)
    if (grown.length > 0 && position !== "") yield* collect(client, ledger, grown, "", position)
    position = yield* collect(client, ledger, suspects, position)
    suspects = suspects.filter(isFaulty)
    const [first] = suspects
    const fault = first?.fault(first.entries)
    if (first !== undefined && fault !== undefined) {
      return yield* differs(first.kind.check, first.kind.hashKey(first.id), fault)
    }
  })
  if (suspects.length > 0) yield* lookAgain(look)
})

/** The hashes of the refunds of a page's charges; most charges have none. */
const readRelatedRecords = Effect.fnUntraced(function* (client: Client, relatedIds: ReadonlyArray<string>) {
  const names = ["events"]
  const replies = yield* client.callAll(
    relatedIds.map((id) => ["HMGET", [refundKind.hashKey(id), ...names]] as const),
  )
  return new Map(relatedIds.map((id, i) => [id, readFields(names, replies[i])]))
})

/** Those of a page whose documents do not fit the ledger entries that their hashes lead to. */
const misfitsOf = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  kind: MoneyKind,
  sightings: ReadonlyArray<Sighting>,
) {
  const relatedOf = yield* readRelated(
    client,
    sightings.map(({ id }) => ({ kind, id })),
  )
  const relatedRecords = yield* readRelatedRecords(client, relatedOf.flat())
  const times = [
    ...sightings.flatMap(({ record }) => entryTimesOf(kind, record)),
    ...[...relatedRecords.values()].flatMap((record) => entryTimesOf(refundKind, record)),
  ]
  const ids = new Set([...sightings.map(({ id }) => id), ...relatedRecords.keys()])
  const entries = yield* entriesNear(client, feed, ids, times)
  return sightings.filter(({ id, record }, i) => {
    const related = relatedOf[i] ?? []
    const own = [id, ...related].flatMap((name) => entries.get(name) ?? [])
    // In the ledger's order, in which those of the charge and of its refunds are mixed.
    const inOrder = related.length === 0 ? own : own.toSorted((one, other) => one.seq - other.seq)
    return isFaulty(watch(kind, id, record, related, inOrder))
  })
})

/** The order in which faults are reported: by kind, and in each by age. */
const reportingOrder = (one: NamedResource, other: NamedResource): number => {
  const kinds = moneyKinds.indexOf(one.kind) - moneyKinds.indexOf(other.kind)
  return kinds !== 0 ? kinds : one.id < other.id ? -1 : 1
}

/**
 * Compares resources with the ledger of their seller and mode. `add` reads the entries that a page's hashes lead to: what is
 * read grows with what there is to check. Resources that do not fit these, and those given to `suspect`, are compared with
 * the whole ledger, one window at a time; a healthy ledger has next to none.
 */
export const makeMoneyAudit = (client: Client, feed: Feed) => {
  let window = new Map<string, NamedResource>()
  const finish: Effect.Effect<void, AuditFailure> = Effect.suspend(() => {
    const full = [...window.values()].toSorted(reportingOrder)
    window = new Map()
    return full.length === 0 ? Effect.void : settle(client, feed, full)
  })
  const suspect = (suspects: ReadonlyArray<NamedResource>): Effect.Effect<void, AuditFailure> =>
    Effect.suspend(() => {
      for (const item of suspects) window.set(item.id, item)
      return window.size >= limits.auditWindowResources ? finish : Effect.void
    })
  const add = (kind: MoneyKind, sightings: ReadonlyArray<Sighting>): Effect.Effect<void, AuditFailure> =>
    Effect.flatMap(misfitsOf(client, feed, kind, sightings), (misfits) =>
      suspect(misfits.map(({ id }) => ({ kind, id }))),
    )
  return { add, suspect, finish }
}
