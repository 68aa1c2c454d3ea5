import { Effect } from "effect"
import { isId, type Mode, modes } from "../../schema/ids.ts"
import { exceptionStates } from "../../schema/resources/exception.ts"
import { pixKeyStatuses } from "../../schema/resources/pixKey.ts"
import { isWithdrawalOver, withdrawalStatuses } from "../../schema/resources/withdrawal.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient, RedisCommand } from "../store/redis/redisClient.ts"
import { scanKeys } from "../store/redis/scanKeys.ts"
import { type CheckName, differs, type Fault } from "./difference.ts"
import { type AuditFailure, type Fields, forEachPage, lookAgain, readFields } from "./reads.ts"

type Client = RedisClient["Service"]

/** An index that all sellers of a partition share, from which operators list. */
export interface PartitionIndex {
  readonly check: CheckName
  readonly key: string
  readonly mode: Mode
  readonly status: string
  /** Whether nothing stays in it for ever. */
  readonly isOpen: boolean
  readonly hashKey: (id: string) => string
  /** A seller's own index, which holds all of the seller's ids. */
  readonly sellerIndexKey: (sellerId: string) => string
}

const indexesOf = (partition: number): ReadonlyArray<PartitionIndex> => {
  const tag = keys.partitionTag(partition)
  return modes.flatMap(
    (mode): ReadonlyArray<PartitionIndex> => [
      ...withdrawalStatuses.map((status) => ({
        check: "withdrawal" as const,
        key: keys.partitionWithdrawalsKey(tag, mode, status),
        mode,
        status,
        isOpen: !isWithdrawalOver(status),
        hashKey: keys.withdrawalKey,
        sellerIndexKey: (sellerId: string) => keys.withdrawalsKey(sellerId, mode),
      })),
      ...pixKeyStatuses.map((status) => ({
        check: "pix_key" as const,
        key: keys.partitionPixKeysKey(tag, mode, status),
        mode,
        status,
        isOpen: status === "pending_approval",
        hashKey: keys.pixKeyKey,
        sellerIndexKey: (sellerId: string) => keys.pixKeysKey(sellerId, mode),
      })),
    ],
  )
}

/** The keys that show whether a partition holds anything to audit. */
const keysOfPartition = (partition: number): ReadonlyArray<string> => [
  keys.sellersKey(partition),
  keys.noticesKey(keys.partitionTag(partition), "unprocessed"),
  keys.stuckRefundsKey(keys.partitionTag(partition)),
  ...exceptionStates.map((state) => keys.exceptionsKey(keys.partitionTag(partition), state)),
  ...indexesOf(partition).map(({ key }) => key),
]

/** As many as ids can name (schema/ids.ts): how many a service uses is a setting, and an audit must miss none. */
const partitionsMax = 1_024

/** Where Redis has no more keys than this, reading their names is less work than asking for 37 of each partition. */
export const keysScannedMax = 20_000

const scannedPartitions = Effect.fnUntraced(function* (client: Client) {
  const names = yield* scanKeys(client)
  const named = new Set(names.flatMap((name) => keys.partitionOfTagIn(name) ?? []))
  const existing = new Set(names)
  return [...named].filter(
    (partition) => partition < partitionsMax && keysOfPartition(partition).some((key) => existing.has(key)),
  )
})

const askedPartitions = Effect.fnUntraced(function* (client: Client) {
  const partitions = Array.from({ length: partitionsMax }, (_, partition) => partition)
  const counts = yield* client.callAll(
    partitions.map((partition) => ["EXISTS", keysOfPartition(partition)] as const),
  )
  return partitions.filter((partition) => counts[partition] !== 0)
})

/** The partitions that hold anything, in their order. */
export const partitionsInUse = Effect.fnUntraced(function* (client: Client, scannedMax = keysScannedMax) {
  const sizes = yield* Effect.forEach(client.servers(), ({ call }) => call("DBSIZE", []))
  const isSmall = sizes.reduce<number>((sum, size) => sum + Number(size), 0) <= scannedMax
  const partitions = yield* isSmall ? scannedPartitions(client) : askedPartitions(client)
  return partitions.toSorted((left, right) => left - right)
})

const names = ["mode", "status", "seller"]

/** Each id of an index with its fault, by one look; undefined: none. */
const membersOf = Effect.fnUntraced(function* (
  client: Client,
  index: PartitionIndex,
  ids: ReadonlyArray<string>,
) {
  const hashes = yield* client.callAll(ids.map((id) => ["HMGET", [index.hashKey(id), ...names]] as const))
  const records = hashes.map((hash) => readFields(names, hash))
  const scores = yield* client.callAll(
    ids.map((id, i): RedisCommand => {
      const seller = records[i]?.seller ?? ""
      // Without a seller there is no index to look in: asks for a member that no index has.
      return isId("sel_", seller)
        ? ["ZSCORE", [index.sellerIndexKey(seller), id]]
        : ["ZSCORE", [index.key, ""]]
    }),
  )
  const faultOf = ({ mode, status, seller }: Fields, i: number): Fault | undefined => {
    if (mode === index.mode && status === index.status && scores[i] !== null) return undefined
    const expected = `only ids that are ${index.status} in ${index.mode} and in their sellers' indexes`
    const found = status === undefined ? "does not exist" : `is ${status} in ${mode} of ${seller}`
    return {
      expected,
      found: `${ids[i]}, which ${found}${scores[i] === null ? " and is in no seller's index" : ""}`,
    }
  }
  return records.map((record, i) => ({
    index,
    id: ids[i] ?? "",
    seller: record.seller ?? "",
    mode: modes.find((mode) => mode === record.mode),
    fault: faultOf(record, i),
  }))
})

/** Looks at a member until it agrees with its index or is gone from it; fails if neither happens. */
const auditMember = (client: Client, index: PartitionIndex, id: string) =>
  lookAgain(
    Effect.gen(function* () {
      const [member] = yield* membersOf(client, index, [id])
      const fault = member?.fault
      if (fault === undefined || (yield* client.call("ZSCORE", [index.key, id])) === null) return
      yield* differs(index.check, index.key, fault)
    }),
  )

/** An id that an index wrongly has: the seller and mode that its hash names, if any. */
export interface FaultyMember {
  readonly index: PartitionIndex
  readonly id: string
  readonly seller: string
  readonly mode: Mode | undefined
}

/** Runs a step on each id that an index of a partition wrongly has. */
export const faultyMembers = Effect.fnUntraced(function* (
  client: Client,
  partition: number,
  step: (member: FaultyMember) => Effect.Effect<void, AuditFailure>,
  isRead: (index: PartitionIndex) => boolean = () => true,
) {
  for (const index of indexesOf(partition).filter(isRead)) {
    yield* forEachPage(client, index.key, (ids) =>
      Effect.flatMap(membersOf(client, index, ids), (members) =>
        Effect.forEach(
          members.filter(({ fault }) => fault !== undefined),
          step,
          { discard: true },
        ),
      ),
    )
  }
})

/**
 * Checks that the indexes that a partition's sellers share hold only ids of resources that exist, have the index's
 * status, and are in their seller's index; unless `isFull` only those of open statuses. Whether any are missing is checked
 * seller by seller.
 */
export const auditPartition = (client: Client, partition: number, isFull: boolean) =>
  faultyMembers(
    client,
    partition,
    ({ index, id }) => auditMember(client, index, id),
    ({ isOpen }) => isFull || isOpen,
  )
