import { Effect } from "effect"
import { modes } from "../../schema/ids.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import type { DocumentTerm } from "../store/sellerLookup.ts"
import { repairCountersOf } from "./counterRepair.ts"
import { type CustomerOfCharge, repairCustomers } from "./customerAudit.ts"
import { repairDeadAttemptLists, repairDeadAttempts } from "./deadAttemptAudit.ts"
import { repairIndexesOf, repairPartitionIndexes } from "./indexRepair.ts"
import { repairLookups } from "./lookupAudit.ts"
import { partitionsInUse } from "./partitionAudit.ts"
import { repairPaymentLinks } from "./paymentLinkAudit.ts"
import { type AuditFailure, forEachPage } from "./reads.ts"
import { repairReleasesOf } from "./releaseAudit.ts"
import { emptyReport, type RepairReport } from "./repairReport.ts"
import { repairSellerLookups } from "./sellerLookupAudit.ts"
import { repairSeriesOf } from "./seriesAudit.ts"
import { repairStuckRefunds } from "./stuckRefundAudit.ts"
import { repairTimers } from "./timerAudit.ts"

/**
 * Mends what can be derived, in all partitions: indexes from the hashes, counters from the ledgers, missing timers from the
 * states. `documentTerm` makes the terms that documents are found by, and `customerOf` the customers of charges that name none;
 * without them those that there are stay. Returns what it mended, and what it must leave: it never touches money or a document.
 */
export const repairAll = (
  client: RedisClient["Service"],
  documentTerm?: DocumentTerm,
  customerOf?: CustomerOfCharge,
): Effect.Effect<RepairReport, AuditFailure> =>
  Effect.gen(function* () {
    const report = emptyReport()
    for (const partition of yield* partitionsInUse(client)) {
      yield* forEachPage(client, keys.sellersKey(partition), (sellerIds) =>
        Effect.gen(function* () {
          for (const sellerId of sellerIds) {
            for (const mode of modes) {
              yield* repairIndexesOf(client, { sellerId, mode }, report)
              yield* repairCountersOf(client, { sellerId, mode }, report)
              yield* repairReleasesOf(client, { sellerId, mode }, report)
              yield* repairLookups(client, { sellerId, mode }, report)
              yield* repairPaymentLinks(client, { sellerId, mode }, report)
              yield* repairCustomers(client, { sellerId, mode }, customerOf, report)
              yield* repairDeadAttempts(client, { sellerId, mode }, report)
              yield* repairSeriesOf(client, { sellerId, mode }, report)
            }
          }
        }),
      )
      yield* repairSellerLookups(client, partition, documentTerm, report)
      yield* repairPartitionIndexes(client, partition, report)
      yield* repairDeadAttemptLists(client, partition, report)
      yield* repairStuckRefunds(client, partition, report)
      report.timers.push(...(yield* repairTimers(client, partition)))
    }
    return report
  })
