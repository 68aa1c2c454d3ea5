import { Clock, Effect } from "effect"
import { modes } from "../../schema/ids.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { auditDeadAttemptLists } from "./deadAttemptAudit.ts"
import { differs } from "./difference.ts"
import { auditExceptions } from "./exceptionAudit.ts"
import { auditMode, type ModeReport } from "./modeAudit.ts"
import { auditPartition, partitionsInUse } from "./partitionAudit.ts"
import { type AuditFailure, forEachPage, lookAgain } from "./reads.ts"
import { auditSellerLookup, auditSellerLookupIndex } from "./sellerLookupAudit.ts"
import { auditStuckRefunds } from "./stuckRefundAudit.ts"
import { auditExceptionTimers, auditNoticeTimers } from "./timerAudit.ts"

type Client = RedisClient["Service"]

/** How much an audit has read and found correct, and how long it took in ms. */
export interface AuditReport extends Omit<ModeReport, "from" | "fullMillis"> {
  readonly sellers: number
  /** Modes of sellers that were audited from a checkpoint, and not from the beginning. */
  readonly modesResumed: number
  /** When the mode was last audited from the beginning for which that is longest ago, in ms; undefined: no seller. */
  readonly oldestFullMillis: number | undefined
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

/** Adds up what audits of modes report. */
const makeTotals = () => {
  const sums = { ledgerEntries: 0, transactions: 0, withdrawals: 0, refunds: 0, pixKeys: 0, events: 0 }
  let sellers = 0
  let modesResumed = 0
  let oldestFullMillis: number | undefined
  return {
    addSeller: () => void sellers++,
    add: (report: ModeReport) => {
      for (const name of Object.keys(sums) as Array<keyof typeof sums>) sums[name] += report[name]
      if (report.from === "checkpoint") modesResumed += 1
      oldestFullMillis = Math.min(oldestFullMillis ?? report.fullMillis, report.fullMillis)
    },
    read: () => ({ ...sums, sellers, modesResumed, oldestFullMillis }),
  }
}

/** Checks the sellers of a partition; returns whether any mode was audited from the beginning. */
const auditSellers = Effect.fnUntraced(function* (
  client: Client,
  partition: number,
  isFull: boolean,
  totals: ReturnType<typeof makeTotals>,
): Effect.fn.Return<boolean, AuditFailure> {
  let isAnyFull = isFull
  yield* forEachPage(client, keys.sellersKey(partition), (sellerIds) =>
    Effect.gen(function* () {
      for (const sellerId of sellerIds) {
        yield* auditSeller(client, sellerId)
        yield* auditSellerLookup(client, sellerId)
        totals.addSeller()
        for (const mode of modes) {
          const report = yield* auditMode(client, { sellerId, mode }, isFull)
          totals.add(report)
          isAnyFull = isAnyFull || report.from === "beginning"
        }
      }
    }),
  )
  return isAnyFull
})

/**
 * Recomputes every balance, counter and index from the streams and the documents, and looks for the timers that states
 * need: partition by partition, seller by seller, mode by mode. It goes on from each mode's checkpoint, where it reads only
 * what is newer, has changed or is open (docs/operations.md#checkpoints), unless `isFull`. Fails with the first difference. It reads in
 * pages and writes only checkpoints, and traffic may go on: what one Redis function writes is read by one, and any other
 * difference counts only if it is still there after some more looks.
 */
export const verifyAll = (client: Client, isFull = true): Effect.Effect<AuditReport, AuditFailure> =>
  Effect.gen(function* () {
    const startedMillis = yield* Clock.currentTimeMillis
    const totals = makeTotals()
    for (const partition of yield* partitionsInUse(client)) {
      if (isFull) yield* auditPartition(client, partition, true)
      yield* auditNoticeTimers(client, partition)
      yield* auditExceptions(client, partition)
      yield* auditExceptionTimers(client, partition)
      const isAnyFull = yield* auditSellers(client, partition, isFull, totals)
      // After the sellers: where a record is damaged, that is what is wrong, not what the index has of it.
      if (isFull) yield* auditSellerLookupIndex(client, partition)
      if (isFull) yield* auditDeadAttemptLists(client, partition)
      if (!isFull) yield* auditPartition(client, partition, isAnyFull)
      yield* auditStuckRefunds(client, partition)
    }
    return { ...totals.read(), tookMillis: (yield* Clock.currentTimeMillis) - startedMillis }
  })
