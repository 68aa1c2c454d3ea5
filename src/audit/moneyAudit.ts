import { Effect, Result } from "effect"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { differs, type Fault, shown } from "./difference.ts"
import { type LedgerRecord, readLedgerEntry } from "./ledgerEntry.ts"
import { type AuditFailure, type Fields, lookAgain, readFields, readStream } from "./reads.ts"
import type { MoneyKind, Sighting } from "./resourceKind.ts"

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
  const events = new Set(record.events?.split(" "))
  return {
    ...{ kind, id, related, entries },
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
const readAnew = Effect.fnUntraced(function* (client: Client, some: ReadonlyArray<Watched>) {
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
 * Compares the documents of a window of resources with the ledger. Documents are read before the ledger, which may have
 * grown since; so if the two differ, the documents and the ledger's newer entries are read again.
 */
const settle = Effect.fnUntraced(function* (client: Client, feed: Feed, window: ReadonlyArray<Watched>) {
  const ledger = keys.ledgerKey(feed)
  let position = yield* collect(client, ledger, window, "")
  let suspects = window.filter(isFaulty)
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

/** Compares resources with the ledger of their seller and mode, one window at a time. */
export const makeMoneyAudit = (client: Client, feed: Feed) => {
  let window: Array<Watched> = []
  const finish: Effect.Effect<void, AuditFailure> = Effect.suspend(() => {
    const full = window
    window = []
    return full.length === 0 ? Effect.void : settle(client, feed, full)
  })
  const add = (kind: MoneyKind, sightings: ReadonlyArray<Sighting>): Effect.Effect<void, AuditFailure> =>
    Effect.flatMap(
      readRelated(
        client,
        sightings.map(({ id }) => ({ kind, id })),
      ),
      (relatedOf) => {
        window.push(...sightings.map(({ id, record }, i) => watch(kind, id, record, relatedOf[i] ?? [], [])))
        return window.length >= limits.auditWindowResources ? finish : Effect.void
      },
    )
  return { add, finish }
}
