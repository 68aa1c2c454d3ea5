import { Effect } from "effect"
import { type Feed, isId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { auditEvents, type IndexedResource, repairIndexes } from "../store/audit.ts"
import * as keys from "../store/keys.ts"
import { writeKey } from "../store/partitions.ts"
import type { RedisClient, RedisCommand } from "../store/redis/redisClient.ts"
import { AuditDifference } from "./difference.ts"
import { readIndexPage } from "./indexAudit.ts"
import { chargeKind, moneyKinds, pixKeyKind, refundKind, withdrawalKind } from "./kinds.ts"
import type { RawEntry } from "./ledgerEntry.ts"
import { faultyMembers } from "./partitionAudit.ts"
import { type AuditFailure, forEachPage, readFields, readStream } from "./reads.ts"
import type { RepairReport } from "./repairReport.ts"
import type { ResourceKind, Sighting } from "./resourceKind.ts"

type Client = RedisClient["Service"]

const resourceOf = (kind: ResourceKind, feed: Feed, id: string): IndexedResource => ({
  id,
  hashKey: kind.hashKey(id),
  indexKey: kind.indexKey(feed),
  statusIndexes: [
    ...kind.statuses.map((status) => [kind.indexKey(feed, status), status] as const),
    ...kind.statuses.flatMap((status) =>
      kind.partitionIndexKey === undefined ? [] : [[kind.partitionIndexKey(feed, status), status] as const],
    ),
  ],
})

const note = (report: RepairReport, id: string, changes: ReadonlyArray<string>): void => {
  for (const change of changes) {
    report.indexes.push(`${change.slice(1)} ${change.startsWith("+") ? "gains" : "loses"} ${id}`)
  }
}

/** Removes an id that no resource of the seller's partition can have from an index. */
const removeStranger = Effect.fnUntraced(function* (
  client: Client,
  index: string,
  id: string,
  report: RepairReport,
) {
  if ((yield* writeKey(client, "ZREM", index, id)) === 1) note(report, id, [`-${index}`])
})

/** Makes the indexes of one id agree with its hash. */
const repairId = Effect.fnUntraced(function* (
  client: Client,
  kind: ResourceKind,
  feed: Feed,
  id: string,
  report: RepairReport,
) {
  const resource = resourceOf(kind, feed, id)
  if (keys.tagOf(id) !== keys.tagOf(feed.sellerId)) {
    for (const index of [resource.indexKey, ...resource.statusIndexes.map(([key]) => key)]) {
      yield* removeStranger(client, index, id, report)
    }
    return
  }
  const done = yield* repairIndexes(client, feed, resource)
  if (done.kind === "mended") return note(report, id, done.changes)
  const found = done.kind === "lost" ? "none" : "one of an unknown status"
  const expected = "a hash that its indexes follow from"
  report.refused.push(new AuditDifference({ check: kind.check, key: resource.hashKey, expected, found }))
})

const isOnly = (holders: ReadonlyArray<string> | undefined, status: string | undefined): boolean =>
  holders === undefined || (holders.length === 1 && holders[0] === status)

/** Whether a resource's indexes agree with its hash. */
const isWhole = (feed: Feed, { record, heldBy, heldByPartition }: Sighting): boolean =>
  record.seller === feed.sellerId &&
  record.mode === feed.mode &&
  isOnly(heldBy, record.status) &&
  isOnly(heldByPartition, record.status)

/** Repairs the indexes of all ids that one of a kind's indexes has. */
const repairKind = Effect.fnUntraced(function* (
  client: Client,
  kind: ResourceKind,
  feed: Feed,
  report: RepairReport,
): Effect.fn.Return<void, AuditFailure> {
  let afterId: string | undefined = ""
  while (afterId !== undefined) {
    const page: {
      readonly sightings: ReadonlyArray<Sighting>
      readonly strangers: ReadonlyArray<string>
      readonly nextAfterId: string | undefined
    } = yield* readIndexPage(client, kind, feed, afterId)
    const wrong = page.sightings.filter((sighting) => !isWhole(feed, sighting)).map(({ id }) => id)
    for (const id of [...wrong, ...page.strangers]) yield* repairId(client, kind, feed, id, report)
    afterId = page.nextAfterId
  }
})

/** Repairs the indexes of resources that events or ledger entries name and the index of all lacks. */
const repairNamed = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  ids: ReadonlyArray<string>,
  report: RepairReport,
): Effect.fn.Return<void, AuditFailure> {
  const prefixes = { txn_: chargeKind, wd_: withdrawalKind, rfd_: refundKind }
  const named = [...new Set(ids)].flatMap((id) => {
    const prefix = (["txn_", "wd_", "rfd_"] as const).find((begin) => isId(begin, id))
    const isNear = keys.tagOf(id) === keys.tagOf(feed.sellerId)
    return prefix === undefined || !isNear ? [] : [{ id, kind: prefixes[prefix] }]
  })
  const scores = yield* client.callAll(
    named.map(({ id, kind }): RedisCommand => ["ZSCORE", [kind.indexKey(feed), id]]),
  )
  for (const [i, { id, kind }] of named.entries()) {
    if (scores[i] === null) yield* repairId(client, kind, feed, id, report)
  }
})

/** Looks through the feed and the ledger for resources that the indexes lack. */
const repairUnlisted = Effect.fnUntraced(function* (client: Client, feed: Feed, report: RepairReport) {
  for (let from = "-"; ; ) {
    const [page = []] = yield* auditEvents(client, feed, [[from, "+"]], limits.auditPageEntries)
    yield* repairNamed(
      client,
      feed,
      page.map(({ resourceId }) => resourceId),
      report,
    )
    if (page.length < limits.auditPageEntries) break
    from = `(${page.at(-1)?.entryId}`
  }
  for (let position = ""; ; ) {
    const page: ReadonlyArray<RawEntry> = yield* readStream(client, keys.ledgerKey(feed), position, "+")
    yield* repairNamed(
      client,
      feed,
      page.map(([, values]) => values[7] ?? ""),
      report,
    )
    if (page.length < limits.auditPageEntries) break
    position = page.at(-1)?.[0] ?? ""
  }
})

/** Makes the index of each charge's refunds agree with the refunds, whose charge never changes. */
const repairRefundsOf = Effect.fnUntraced(function* (client: Client, feed: Feed, report: RepairReport) {
  const chargesOf = (ids: ReadonlyArray<string>) =>
    Effect.map(
      client.callAll(
        ids.map((id): RedisCommand => ["HMGET", [refundKind.hashKey(id), "seller", "mode", "transaction"]]),
      ),
      (replies) =>
        replies.map((reply) => {
          const { seller, mode, transaction = "" } = readFields(["seller", "mode", "transaction"], reply)
          return seller === feed.sellerId && mode === feed.mode && isId("txn_", transaction)
            ? transaction
            : ""
        }),
    )
  yield* forEachPage(client, refundKind.indexKey(feed), (ids) =>
    Effect.gen(function* () {
      for (const [i, transaction] of (yield* chargesOf(ids)).entries()) {
        const [id, index] = [ids[i] ?? "", keys.refundsOfKey(transaction)]
        if (transaction !== "" && (yield* writeKey(client, "ZADD", index, "NX", 0, id)) === 1) {
          note(report, id, [`+${index}`])
        }
      }
    }),
  )
  yield* forEachPage(client, chargeKind.indexKey(feed), (chargeIds) =>
    Effect.gen(function* () {
      const replies = yield* client.callAll(
        chargeIds.map((id): RedisCommand => ["ZRANGE", [keys.refundsOfKey(id), 0, -1]]),
      )
      for (const [i, reply] of replies.entries()) {
        const [chargeId, ids] = [chargeIds[i] ?? "", (reply ?? []) as ReadonlyArray<string>]
        for (const [place, transaction] of (yield* chargesOf(ids)).entries()) {
          if (transaction === chargeId) continue
          yield* removeStranger(client, keys.refundsOfKey(chargeId), ids[place] ?? "", report)
        }
      }
    }),
  )
})

/**
 * Makes the indexes of a seller's mode agree with the hashes. An id without a hash leaves them, unless they agree that there
 * is such a resource: that one is lost, and reported.
 */
export const repairIndexesOf = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  report: RepairReport,
) {
  for (const kind of [...moneyKinds, pixKeyKind]) yield* repairKind(client, kind, feed, report)
  yield* repairUnlisted(client, feed, report)
  yield* repairRefundsOf(client, feed, report)
})

/** Removes what the sellers of a partition do not have from the indexes that they share. */
export const repairPartitionIndexes = Effect.fnUntraced(function* (
  client: Client,
  partition: number,
  report: RepairReport,
) {
  yield* faultyMembers(client, partition, ({ index, id, seller, mode }) => {
    const kind = index.check === "withdrawal" ? withdrawalKind : pixKeyKind
    const isOfSeller = isId("sel_", seller) && keys.tagOf(seller) === keys.partitionTag(partition)
    return isOfSeller && mode !== undefined
      ? repairId(client, kind, { sellerId: seller, mode }, id, report)
      : removeStranger(client, index.key, id, report)
  })
})
