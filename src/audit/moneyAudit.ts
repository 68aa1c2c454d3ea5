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
  readonly fault: (entries: ReadonlyArray<LedgerRecord>) => Fault | undefined
  readonly entries: Array<LedgerRecord>
}

/** The kinds of movements whose commits append no event: the charge keeps its status. */
const silentKinds: ReadonlySet<string> = new Set([
  "charge_partially_refunded",
  "charge_partial_chargeback",
  "reserve_released",
])

const watch = (kind: MoneyKind, id: string, record: Fields, entries: Array<LedgerRecord>): Watched => {
  const moneyFault = kind.moneyFault(record)
  const events = new Set(record.events?.split(" "))
  return {
    kind,
    id,
    entries,
    fault: (found) => {
      const stray = found.find(({ event, kind: moved }) =>
        silentKinds.has(moved) ? event !== "" : !events.has(event),
      )
      if (stray === undefined) return moneyFault(found)
      const expected = silentKinds.has(stray.kind) ? "no event" : "one of its events"
      return { expected: `${expected} in ledger entry ${stray.entryId}`, found: shown(stray.event) }
    },
  }
}

/** Collects the watched resources' entries after `from` up to the ledger's end; returns the id where it ends. */
const collect = Effect.fnUntraced(function* (
  client: Client,
  ledger: string,
  watched: ReadonlyMap<string, Watched>,
  from: string,
) {
  let position = from
  while (true) {
    const page = yield* readStream(client, ledger, position, "+")
    for (const raw of page) {
      const read = readLedgerEntry(raw)
      if (Result.isFailure(read)) return yield* differs("ledger", ledger, read.failure)
      watched.get(read.success.resourceId)?.entries.push(read.success)
    }
    position = page.at(-1)?.[0] ?? position
    if (page.length < limits.auditPageEntries) return position
  }
})

const isFaulty = ({ fault, entries }: Watched): boolean => fault(entries) !== undefined

/** Reads the documents of watched resources again. */
const readAnew = (client: Client, some: ReadonlyArray<Watched>) =>
  Effect.map(
    client.callAll(
      some.map(({ kind, id }) => ["HMGET", [kind.hashKey(id), "status", ...kind.fields]] as const),
    ),
    (replies) =>
      some.map(({ kind, id, entries }, i) =>
        watch(kind, id, readFields(["status", ...kind.fields], replies[i]), entries),
      ),
  )

/**
 * Compares the documents of a window of resources with the ledger. Documents are read before the ledger, which may have
 * grown since; so if the two differ, the documents and the ledger's newer entries are read again.
 */
const settle = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  window: ReadonlyMap<string, Watched>,
) {
  const ledger = keys.ledgerKey(feed)
  let position = yield* collect(client, ledger, window, "")
  let suspects = [...window.values()].filter(isFaulty)
  const look = Effect.gen(function* () {
    suspects = [...(yield* readAnew(client, suspects))]
    position = yield* collect(client, ledger, new Map(suspects.map((item) => [item.id, item])), position)
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
  let window = new Map<string, Watched>()
  const finish: Effect.Effect<void, AuditFailure> = Effect.suspend(() => {
    const full = window
    window = new Map()
    return full.size === 0 ? Effect.void : settle(client, feed, full)
  })
  const add = (kind: MoneyKind, sightings: ReadonlyArray<Sighting>): Effect.Effect<void, AuditFailure> =>
    Effect.suspend(() => {
      for (const { id, record } of sightings) window.set(id, watch(kind, id, record, []))
      return window.size >= limits.auditWindowResources ? finish : Effect.void
    })
  return { add, finish }
}
