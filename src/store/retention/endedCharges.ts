import { Effect } from "effect"
import { isChargeEnded, mayHaveHeld, mayHaveMoved } from "../../../actors/seller/decisions/endedResources.ts"
import { limits } from "../../../schema/limits.ts"
import type { RefundStatus } from "../../../schema/resources/refund.ts"
import type { TransactionStatus } from "../../../schema/resources/transaction.ts"
import * as keys from "../keys.ts"
import type { RedisClient, Reply } from "../redis/redisClient.ts"
import { digestsOf } from "../series/chargeLookup.ts"
import type { EndedCharge } from "./deleteTestCharge.ts"
import { beginningMillis, entriesOf, millisOf, newestOf, readOldestIds } from "./entryTimes.ts"

const chargeFields = ["status", "version", "document", "events", "release"]
const refundFields = ["status", "version", "document", "events"]

/** A charge or refund as stored: what its deletion is decided on. */
interface Found<Status> {
  readonly id: string
  readonly status: Status
  readonly version: string
  readonly document: string
  /** Entry ids of its events, oldest first. */
  readonly events: ReadonlyArray<string>
  /** The ledger entry of its release; "" if there is none. */
  readonly release: string
}

/** Reads a hash; undefined where it is not there, or lacks what every one has: an audit names it. */
const readFound = <Status>(id: string, reply: Reply | undefined): Found<Status> | undefined => {
  const [status, version, document, events, release] = (reply ?? []) as ReadonlyArray<string | null>
  if (!status || !version || !document || !events) return undefined
  return {
    ...{ id, status: status as Status, version, document },
    ...{ events: entriesOf(events), release: release ?? "" },
  }
}

const readRefunds = Effect.fnUntraced(function* (
  client: RedisClient["Service"],
  charges: ReadonlyArray<Found<TransactionStatus>>,
) {
  const members = yield* client.callAll(
    charges.map(({ id }) => ["ZRANGE", [keys.refundsOfKey(id), 0, -1]] as const),
  )
  const idsOf = members.map((ids) => (ids ?? []) as ReadonlyArray<string>)
  const all = idsOf.flat()
  const replies = yield* client.callAll(
    all.map((id) => ["HMGET", [keys.refundKey(id), ...refundFields]] as const),
  )
  const found = new Map(all.map((id, i) => [id, readFound<RefundStatus>(id, replies[i])]))
  return idsOf.map((ids) => ids.map((id) => found.get(id)))
})

/** The charge with its refunds, if they have all ended; undefined: they stay. */
const endedOf = (
  charge: Found<TransactionStatus>,
  found: ReadonlyArray<Found<RefundStatus> | undefined>,
  keptIds: ReadonlySet<string>,
): EndedCharge | undefined => {
  const refunds = found.flatMap((refund) => refund ?? [])
  const isKept = [charge, ...refunds].some(({ id }) => keptIds.has(id))
  if (isKept || refunds.length < found.length || !isChargeEnded(charge, refunds)) return undefined
  const newestEvent = newestOf([charge, ...refunds].flatMap(({ events }) => events))
  return {
    ...{ id: charge.id, version: charge.version, status: charge.status, newestEvent },
    changedMillis: Math.max(millisOf(newestEvent), charge.release === "" ? 0 : millisOf(charge.release)),
    isInLedger: mayHaveMoved(charge),
    digests: digestsOf(charge.document),
    refunds: refunds.map((refund) => ({
      ...{ id: refund.id, version: refund.version, status: refund.status },
      isInLedger: mayHaveHeld(refund),
    })),
  }
}

/**
 * Reads a page of a seller's test charges, oldest first: those that have ended and changed last before `beforeMillis`, without
 * those in `keptIds`. `nextAfterId` undefined: no other charge can be that old.
 */
export const endedCharges = Effect.fnUntraced(function* (
  client: RedisClient["Service"],
  sellerId: string,
  afterId: string,
  beforeMillis: number,
  keptIds: ReadonlySet<string>,
) {
  const ids = yield* readOldestIds(client, keys.transactionsKey(sellerId, "test"), afterId)
  const replies = yield* client.callAll(
    ids.map((id) => ["HMGET", [keys.transactionKey(id), ...chargeFields]] as const),
  )
  const found = ids.flatMap((id, i) => readFound<TransactionStatus>(id, replies[i]) ?? [])
  const old = found.filter(({ events }) => beginningMillis(events) < beforeMillis)
  const refundsOf = yield* readRefunds(client, old)
  const isLast = ids.length < limits.trimmedTestResourcesMax || old.length < found.length
  return {
    ended: old
      .flatMap((charge, i) => endedOf(charge, refundsOf[i] ?? [], keptIds) ?? [])
      .filter(({ changedMillis }) => changedMillis < beforeMillis),
    nextAfterId: isLast ? undefined : ids.at(-1),
  }
})
