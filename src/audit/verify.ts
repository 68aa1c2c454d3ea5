import { Clock, Effect } from "effect"
import { type Feed, modes } from "../../schema/ids.ts"
import { auditAnchor } from "../store/audit/auditAnchor.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { differs } from "./difference.ts"
import { auditEventsOf, auditFeed } from "./eventAudit.ts"
import { auditIndexes } from "./indexAudit.ts"
import { auditApiKeys, auditHeldValues, auditPixKeyValues } from "./keyAudit.ts"
import { chargeKind, pixKeyKind, refundKind, withdrawalKind } from "./kinds.ts"
import { auditLedger } from "./ledgerAudit.ts"
import { makeMoneyAudit } from "./moneyAudit.ts"
import { auditPartition, partitionsInUse } from "./partitionAudit.ts"
import { type AuditFailure, forEachPage, lookAgain } from "./reads.ts"
import { auditChargesOf, auditRefundsOf } from "./refundAudit.ts"
import type { MoneyKind, Sighting } from "./resourceKind.ts"
import { auditApiKeyTimers, auditNoticeTimers, makeTimerAudit } from "./timerAudit.ts"
import { auditOpenWithdrawal, auditWithdrawalDays } from "./withdrawalAudit.ts"

type Client = RedisClient["Service"]

/** How much an audit has checked and found correct, and how long it took in ms. */
export interface AuditReport {
  readonly sellers: number
  readonly ledgerEntries: number
  readonly transactions: number
  readonly withdrawals: number
  readonly refunds: number
  readonly pixKeys: number
  readonly events: number
  readonly tookMillis: number
}

/** Checks that a seller in its partition's index has a record. */
const auditSeller = (client: Client, sellerId: string) =>
  lookAgain(
    Effect.gen(function* () {
      if ((yield* client.call("HEXISTS", [keys.sellerKey(sellerId), "status"])) === 1) return
      yield* differs("seller", keys.sellerKey(sellerId), {
        expected: "a seller, since the index of its partition has its id",
        found: "none",
      })
    }),
  )

/** Checks everything that a seller has in a mode. */
const auditMode = Effect.fnUntraced(function* (client: Client, feed: Feed) {
  yield* auditApiKeys(client, feed)
  yield* auditApiKeyTimers(client, feed)
  const ledgerEntries = yield* auditLedger(client, feed, yield* auditAnchor(client, feed))
  const money = makeMoneyAudit(client, feed)
  const timers = makeTimerAudit(client, feed)
  const stepOf = (kind: MoneyKind) => (sightings: ReadonlyArray<Sighting>) =>
    Effect.andThen(
      Effect.andThen(auditEventsOf(client, feed, kind, sightings), timers.add(kind, sightings)),
      money.add(kind, sightings),
    )
  const transactions = yield* auditIndexes(client, chargeKind, feed, (sightings) =>
    Effect.andThen(auditRefundsOf(client, feed, sightings), stepOf(chargeKind)(sightings)),
  )
  const withdrawals = yield* auditIndexes(client, withdrawalKind, feed, stepOf(withdrawalKind))
  const refunds = yield* auditIndexes(client, refundKind, feed, (sightings) =>
    Effect.andThen(auditChargesOf(client, sightings), stepOf(refundKind)(sightings)),
  )
  yield* money.finish
  yield* auditOpenWithdrawal(client, feed)
  yield* auditWithdrawalDays(client, feed)
  const pixKeys = yield* auditIndexes(client, pixKeyKind, feed, (sightings) =>
    auditPixKeyValues(client, feed, sightings),
  )
  yield* auditHeldValues(client, feed)
  yield* timers.finish
  const events = yield* auditFeed(client, feed, yield* auditAnchor(client, feed))
  return { ledgerEntries, transactions, withdrawals, refunds, pixKeys, events }
})

/**
 * Recomputes every balance, counter and index from the streams and the documents, and looks for the timers that states
 * need: partition by partition, seller by seller, mode by mode. Fails with the first difference. It only reads, in
 * pages, and traffic may go on: what one Redis function writes is read by one, and any other difference counts only if
 * it is still there after some more looks.
 */
export const verifyAll = (client: Client): Effect.Effect<AuditReport, AuditFailure> =>
  Effect.gen(function* () {
    const startedMillis = yield* Clock.currentTimeMillis
    const totals = {
      sellers: 0,
      ledgerEntries: 0,
      transactions: 0,
      withdrawals: 0,
      refunds: 0,
      pixKeys: 0,
      events: 0,
    }
    for (const partition of yield* partitionsInUse(client)) {
      yield* auditPartition(client, partition)
      yield* auditNoticeTimers(client, partition)
      yield* forEachPage(client, keys.sellersKey(partition), (sellerIds) =>
        Effect.gen(function* () {
          for (const sellerId of sellerIds) {
            yield* auditSeller(client, sellerId)
            totals.sellers += 1
            for (const mode of modes) {
              const found = yield* auditMode(client, { sellerId, mode })
              totals.ledgerEntries += found.ledgerEntries
              totals.transactions += found.transactions
              totals.withdrawals += found.withdrawals
              totals.refunds += found.refunds
              totals.pixKeys += found.pixKeys
              totals.events += found.events
            }
          }
        }),
      )
    }
    return { ...totals, tookMillis: (yield* Clock.currentTimeMillis) - startedMillis }
  })
