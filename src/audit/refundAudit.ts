import { Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import { isRefundOver } from "../../schema/resources/refund.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient, RedisCommand } from "../store/redis/redisClient.ts"
import { differs, type Fault, shown } from "./difference.ts"
import { type RefundDocument, readChargeDocument, readRefundDocument } from "./documents.ts"
import { type AuditFailure, type Fields, lookAgain, readFields } from "./reads.ts"
import type { KeyFault, Sighting } from "./resourceKind.ts"

type Client = RedisClient["Service"]

const chargeFields = ["seller", "mode", "document", "refunding"]
const refundFields = ["seller", "mode", "transaction", "document"]

/** The fault of an id in a charge's index of refunds. */
const memberFault = (feed: Feed, chargeId: string, refundId: string, record: Fields): Fault | undefined => {
  const expected = `${feed.sellerId} ${feed.mode} ${chargeId}`
  const found = `${record.seller ?? "none"} ${record.mode ?? "none"} ${record.transaction ?? "none"}`
  return found === expected
    ? undefined
    : { expected: `only refunds of ${chargeId}`, found: `${refundId} of ${found}` }
}

const textOf = (refunds: ReadonlyArray<readonly [string, number, string | null]>): string =>
  refunds.map(([id, amount, returnId]) => `${id} ${amount} ${returnId ?? "-"}`).join(", ") || "none"

const inOrder = (one: readonly [string, ...unknown[]], other: readonly [string, ...unknown[]]): number =>
  one[0] < other[0] ? -1 : 1

/** Where a charge and its refunds differ: what is under way, and what its document lists. */
const sumFault = (record: Fields, refunds: ReadonlyArray<RefundDocument>): Fault | undefined => {
  const underWay = refunds.filter(({ status }) => !isRefundOver(status))
  const refunding = underWay.reduce((sum, { amount }) => sum + amount, 0)
  if ((record.refunding ?? "0") !== String(refunding)) {
    return { expected: `refunding ${refunding}`, found: shown(record.refunding) }
  }
  const succeeded = refunds
    .filter(({ status }) => status === "succeeded")
    .map(({ id, amount, return_id }) => [id, amount, return_id] as const)
  const listed = (readChargeDocument(record.document)?.refunds ?? []).map(
    ({ id, amount, return_id }) => [id, amount, return_id] as const,
  )
  const [expected, found] = [succeeded, listed].map((list) => textOf(list.toSorted(inOrder)))
  return expected === found ? undefined : { expected: `refunds ${expected}`, found: found ?? "none" }
}

/** The fault of a charge's refunds, by one look. */
const faultOf = Effect.fnUntraced(function* (client: Client, feed: Feed, id: string) {
  const index = keys.refundsOfKey(id)
  const [hash, members] = yield* client.callAll([
    ["HMGET", [keys.transactionKey(id), ...chargeFields]],
    ["ZRANGE", [index, 0, -1]],
  ])
  const ids = members as ReadonlyArray<string>
  const hashes = yield* client.callAll(
    ids.map((refundId) => ["HMGET", [keys.refundKey(refundId), ...refundFields]] as const),
  )
  const records = hashes.map((found) => readFields(refundFields, found))
  for (const [i, record] of records.entries()) {
    const fault = memberFault(feed, id, ids[i] ?? "", record)
    if (fault !== undefined) return { key: index, ...fault } satisfies KeyFault
  }
  const fault = sumFault(
    readFields(chargeFields, hash),
    records.flatMap(({ document }) => readRefundDocument(document) ?? []),
  )
  return fault === undefined ? undefined : ({ key: keys.transactionKey(id), ...fault } satisfies KeyFault)
})

/** Checks that each charge of a page has the refunds that its index, its document and its `refunding` say. */
export const auditRefundsOf = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  sightings: ReadonlyArray<Sighting>,
): Effect.fn.Return<void, AuditFailure> {
  const counts = yield* client.callAll(
    sightings.map(({ id }): RedisCommand => ["ZCARD", [keys.refundsOfKey(id)]]),
  )
  const isPlain = ({ record }: Sighting, i: number): boolean =>
    counts[i] === 0 &&
    (record.refunding ?? "0") === "0" &&
    (readChargeDocument(record.document)?.refunds.length ?? 0) === 0
  for (const [i, sighting] of sightings.entries()) {
    if (isPlain(sighting, i)) continue
    yield* lookAgain(
      Effect.gen(function* () {
        const fault = yield* faultOf(client, feed, sighting.id)
        if (fault !== undefined) yield* differs("refund", fault.key, fault)
      }),
    )
  }
})

/** Checks that each refund of a page is in its charge's index. */
export const auditChargesOf = Effect.fnUntraced(function* (
  client: Client,
  sightings: ReadonlyArray<Sighting>,
): Effect.fn.Return<void, AuditFailure> {
  const keyOf = ({ record }: Sighting): string => keys.refundsOfKey(record.transaction ?? "")
  const scores = yield* client.callAll(
    sightings.map((sighting): RedisCommand => ["ZSCORE", [keyOf(sighting), sighting.id]]),
  )
  const missing = sightings.find((_, i) => scores[i] === null)
  if (missing === undefined) return
  yield* differs("refund", keyOf(missing), { expected: `${missing.id} in it`, found: "no such id" })
})
