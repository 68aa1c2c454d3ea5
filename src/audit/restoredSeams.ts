/**
 * Mends what lies in other slots than its partition after a restore of snapshots of different moments, while nothing runs on the data
 * (docs/operations.md#snapshots-of-several-servers). What a partition holds is of one moment; these may be seconds ahead of it or behind:
 * 1. How far an acquirer's books are compared may be ahead of a partition: the next sweep begins 90 days back.
 * 2. A day may be closed that a partition has not closed: it is closed again.
 * 3. The claim of a Pix may be missing though its charge or exception has used it, or be held by one that does not exist.
 * 4. A user may lack its seller, and a seller its user. Nobody can mend these but an operator, so they are only named.
 */
import { Array as Arr, Effect } from "effect"
import { dayAfter } from "../../actors/values/saoPauloDays.ts"
import { isId, type Mode, modes } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { exceptionStates } from "../../schema/resources/exception.ts"
import { sellerKeys } from "../store/keys/accounts.ts"
import { exceptionKeys } from "../store/keys/exceptions.ts"
import * as keys from "../store/keys.ts"
import { writeKey } from "../store/partitions.ts"
import type { RedisClient, RedisCommand } from "../store/redis/redisClient.ts"
import { scanKeys } from "../store/redis/scanKeys.ts"
import { readChargeDocument, readExceptionDocument } from "./documents.ts"
import { partitionsInUse } from "./partitionAudit.ts"
import { type UsedPix, usedPix } from "./pixClaimAudit.ts"
import { type AuditFailure, forEachPage, readFields } from "./reads.ts"

type Client = RedisClient["Service"]

/** What was mended, and whom only an operator can help; of users and sellers the first hundred are named. */
export interface MendedSeams {
  readonly accounts_swept_again: number
  readonly days_reopened: number
  readonly pix_claims_added: number
  readonly pix_claims_removed: number
  readonly users_without_seller_count: number
  readonly users_without_seller: ReadonlyArray<string>
  readonly sellers_without_user_count: number
  readonly sellers_without_user: ReadonlyArray<string>
}

/** Lets the next sweep of each account be a long one. */
const sweepFromBeginning = Effect.fnUntraced(function* (client: Client) {
  const accounts = (yield* client.call("SMEMBERS", [keys.sweepAccountsKey])) as ReadonlyArray<string>
  yield* client.callAll(accounts.map((account) => ["HDEL", [keys.sweepKey(account), "long_began"]] as const))
  return accounts.length
})

/** Reopens the last closed day where a partition has closed only the one before; answers how many days, 0 or 1. */
const reopenDay = Effect.fnUntraced(function* (
  client: Client,
  mode: Mode,
  partitions: ReadonlyArray<number>,
) {
  const key = keys.closingsKey(mode)
  const newest = (yield* client.call("XREVRANGE", [key, "+", "-", "COUNT", 1])) as unknown
  const [[entry] = []] = newest as ReadonlyArray<readonly [string]>
  if (entry === undefined) return 0
  const dayBefore = dayAfter(keys.dayOfEntry(entry), -1)
  const last = yield* client.callAll(
    partitions.map((partition) => ["HGET", [keys.closingStateKey(partition), mode]] as const),
  )
  if (!last.includes(dayBefore)) return 0
  yield* client.call("XDEL", [key, entry])
  // Otherwise the day could not be written again.
  yield* client.call("XSETID", [key, keys.entryOfDay(dayBefore)])
  return 1
})

const claimsPattern = exceptionKeys.pixClaims.name("{c*}", "*")

/** Each claim of a hash: the Pix and who has it. */
const claimsOf = Effect.fnUntraced(function* (client: Client, key: string) {
  const claims: Array<readonly [endToEndId: string, holder: string]> = []
  let cursor = "0"
  do {
    const reply = yield* client.call("HSCAN", [key, cursor, "COUNT", limits.auditPageIds])
    const [next, found] = reply as readonly [string, ReadonlyArray<string>]
    for (let i = 0; i + 1 < found.length; i += 2) claims.push([found[i] ?? "", found[i + 1] ?? ""])
    cursor = next
  } while (cursor !== "0")
  return claims
})

const recordKey = (holder: string): string =>
  isId("exc_", holder) ? keys.exceptionKey(holder) : keys.transactionKey(holder)

/** Removes claims whose charge or exception is gone: its Pix could never be used by another. */
const removeStrayClaims = Effect.fnUntraced(function* (client: Client) {
  let removed = 0
  for (const key of yield* scanKeys(client, claimsPattern)) {
    const claims = yield* claimsOf(client, key)
    const exist = yield* client.callAll(
      claims.map(([, holder]): RedisCommand => ["EXISTS", [recordKey(holder)]]),
    )
    const stray = claims.filter((_, i) => exist[i] === 0).map(([endToEndId]) => endToEndId)
    for (const some of Arr.chunksOf(stray, limits.auditPageIds)) yield* writeKey(client, "HDEL", key, ...some)
    removed += stray.length
  }
  return removed
})

/** Claims the Pix that records have used, where nobody has them; answers how many. */
const claimUsed = (
  client: Client,
  used: ReadonlyArray<{ readonly id: string; readonly pix: UsedPix | undefined }>,
) =>
  Effect.map(
    Effect.forEach(
      used.flatMap(({ id, pix }) => (pix === undefined ? [] : [{ id, ...pix }])),
      ({ id, key, endToEndId }) => writeKey(client, "HSETNX", key, endToEndId, id),
      { concurrency: 64 },
    ),
    (replies) => replies.filter((reply) => reply === 1).length,
  )

const recordNames = ["account", "mode", "document"]

const readRecords = (client: Client, ids: ReadonlyArray<string>) =>
  Effect.map(
    client.callAll(ids.map((id) => ["HMGET", [recordKey(id), ...recordNames]] as const)),
    (replies) => ids.map((id, i) => ({ id, record: readFields(recordNames, replies[i]) })),
  )

/** Claims again what live charges and credited exceptions of a partition have used. */
const addMissingClaims = Effect.fnUntraced(function* (client: Client, partition: number) {
  let added = 0
  const ofCharges = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const used = (yield* readRecords(client, ids)).map(({ id, record }) => ({
      id,
      pix: usedPix(record, readChargeDocument(record.document)?.end_to_end_id),
    }))
    added += yield* claimUsed(client, used)
  })
  const ofExceptions = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const used = (yield* readRecords(client, ids)).map(({ id, record }) => {
      const document = readExceptionDocument(record.document)
      const isCredited = document?.act === "credit"
      return { id, pix: isCredited ? usedPix(record, document.details.end_to_end_id) : undefined }
    })
    added += yield* claimUsed(client, used)
  })
  yield* forEachPage(client, keys.sellersKey(partition), (sellerIds) =>
    Effect.forEach(
      sellerIds,
      (sellerId) => forEachPage(client, keys.transactionsKey(sellerId, "live"), ofCharges),
      { discard: true },
    ),
  )
  for (const state of exceptionStates) {
    yield* forEachPage(client, keys.exceptionsKey(keys.partitionTag(partition), state), ofExceptions)
  }
  return added
})

/** Ids of the hashes at `found` whose `field` names one that does not exist. */
const withoutOther = Effect.fnUntraced(function* (
  client: Client,
  found: ReadonlyArray<string>,
  field: string,
  otherKey: (id: string) => string,
) {
  const others = yield* client.callAll(found.map((key) => ["HGET", [key, field]] as const))
  const linked = found.flatMap((key, i) => (others[i] ? [{ key, other: otherKey(String(others[i])) }] : []))
  const exist = yield* client.callAll(linked.map(({ other }) => ["EXISTS", [other]] as const))
  return linked.filter((_, i) => exist[i] === 0).map(({ key }) => key.slice(key.lastIndexOf(":") + 1))
})

/** Mends what a restore of snapshots of different moments has torn. Nothing else may use the data meanwhile. */
export const mendSeams = Effect.fn("mendSeams")(function* (
  client: Client,
): Effect.fn.Return<MendedSeams, AuditFailure> {
  const partitions = yield* partitionsInUse(client)
  const accounts = yield* sweepFromBeginning(client)
  let [days, added] = [0, 0]
  for (const mode of modes) days += yield* reopenDay(client, mode, partitions)
  const removed = yield* removeStrayClaims(client)
  for (const partition of partitions) added += yield* addMissingClaims(client, partition)
  const users = yield* scanKeys(client, keys.everyUserPattern)
  const sellers = yield* scanKeys(client, sellerKeys.seller.name("{p*}", "*"))
  const lostUsers = yield* withoutOther(client, users, "seller_id", keys.sellerKey)
  const lostSellers = yield* withoutOther(client, sellers, "user", keys.userKey)
  return {
    accounts_swept_again: accounts,
    days_reopened: days,
    pix_claims_added: added,
    pix_claims_removed: removed,
    users_without_seller_count: lostUsers.length,
    users_without_seller: lostUsers.slice(0, limits.repairedShownMax),
    sellers_without_user_count: lostSellers.length,
    sellers_without_user: lostSellers.slice(0, limits.repairedShownMax),
  }
})
