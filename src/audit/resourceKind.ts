import type { Feed } from "../../schema/ids.ts"
import { type CheckName, type Fault, shown } from "./difference.ts"
import type { LedgerRecord } from "./ledgerEntry.ts"
import type { NeededTimer } from "./neededTimers.ts"
import type { Fields } from "./reads.ts"

/** Where a kind of resource is stored, and what must hold for each. */
export interface ResourceKind {
  readonly check: CheckName
  readonly statuses: ReadonlyArray<string>
  /** Fields read from the hash besides `seller`, `mode` and `status`. */
  readonly fields: ReadonlyArray<string>
  readonly hashKey: (id: string) => string
  readonly indexKey: (feed: Feed, status?: string) => string
  /** The index over all sellers of the partition; undefined if there is none. */
  readonly partitionIndexKey: ((feed: Feed, status: string) => string) | undefined
  /** Faults within the hash. */
  readonly recordFault: (id: string, feed: Feed, record: Fields) => Fault | undefined
}

/** A kind whose changes emit events and move money. */
export interface MoneyKind extends ResourceKind {
  /** The statuses that a resource leaves by itself, which audits from checkpoints read every time. */
  readonly openStatuses: ReadonlyArray<string>
  /** How many of its first events move no money. */
  readonly eventsBeforeMoney: number
  /** `types` are those of all events that the hash names; undefined for an event that retention has trimmed. */
  readonly eventsFault: (record: Fields, types: ReadonlyArray<string | undefined>) => Fault | undefined
  /** The timers that its state needs. */
  readonly timersOf: (id: string, feed: Feed, record: Fields) => ReadonlyArray<NeededTimer>
  /** The index of the resources whose ledger entries count as its own as well; undefined if there is none. */
  readonly relatedKey?: (id: string) => string
  /** Makes the check of a resource's ledger entries; it keeps no more of the hash than it needs. */
  readonly moneyFault: (record: Fields) => (entries: ReadonlyArray<LedgerRecord>) => Fault | undefined
}

/** A resource by its kind and id. */
export interface NamedResource {
  readonly kind: MoneyKind
  readonly id: string
}

/** A resource as an audit found it: its hash, and which indexes hold its id. */
export interface Sighting {
  readonly id: string
  readonly record: Fields
  readonly isIndexed: boolean
  readonly heldBy: ReadonlyArray<string>
  /** The same for the partition's indexes; undefined if there are none. */
  readonly heldByPartition: ReadonlyArray<string> | undefined
}

/** A fault and its key. */
export interface KeyFault extends Fault {
  readonly key: string
}

const statusText = (statuses: ReadonlyArray<string>): string =>
  statuses.length === 0 ? "it in none" : `it in ${statuses.join(", ")}`

const at = (key: string, expected: string, found: string): KeyFault => ({ key, expected, found })

/** The fault of an index that wrongly holds or lacks the id; undefined if only the index of `status` holds it. */
const holdersFault = (
  id: string,
  status: string,
  heldBy: ReadonlyArray<string>,
  keyOf: (status: string) => string,
): KeyFault | undefined => {
  const wrong = heldBy.find((holder) => holder !== status)
  if (wrong !== undefined) return at(keyOf(wrong), `no ${id}, which is ${status}`, statusText(heldBy))
  return heldBy.length === 1 ? undefined : at(keyOf(status), `${id} in it`, statusText(heldBy))
}

/** The fault of a resource's hash and indexes; undefined: none, as for an id that is in no index at all. */
export const sightingFault = (kind: ResourceKind, feed: Feed, sighting: Sighting): KeyFault | undefined => {
  const { id, record, isIndexed, heldBy, heldByPartition } = sighting
  const hashKey = kind.hashKey(id)
  const { status } = record
  if (!isIndexed) {
    return heldBy.length === 0
      ? undefined
      : at(kind.indexKey(feed), `${id} in it, as in an index by status`, statusText(heldBy))
  }
  if (status === undefined) return at(hashKey, "a hash, since the index has its id", "none")
  if (record.seller !== feed.sellerId) return at(hashKey, `seller ${feed.sellerId}`, shown(record.seller))
  if (record.mode !== feed.mode) return at(hashKey, `mode ${feed.mode}`, shown(record.mode))
  if (!kind.statuses.includes(status)) return at(hashKey, "a known status", shown(status))
  const held =
    holdersFault(id, status, heldBy, (name) => kind.indexKey(feed, name)) ??
    (heldByPartition === undefined
      ? undefined
      : holdersFault(id, status, heldByPartition, (name) => kind.partitionIndexKey?.(feed, name) ?? hashKey))
  if (held !== undefined) return held
  const fault = kind.recordFault(id, feed, record)
  return fault === undefined ? undefined : { key: hashKey, ...fault }
}
