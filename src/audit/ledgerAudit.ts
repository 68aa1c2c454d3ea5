import { Effect, Result } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { AuditAnchor } from "../store/audit/auditAnchor.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient, RedisCommand } from "../store/redis/redisClient.ts"
import { differs } from "./difference.ts"
import { type LedgerRecord, readLedgerEntry } from "./ledgerEntry.ts"
import { balanceFault, emptyFold, entryFault, foldEntry } from "./ledgerFold.ts"
import { readStream } from "./reads.ts"

type Client = RedisClient["Service"]

/** Checks that the index of each entry's resource holds it: one commit writes both. */
const auditResources = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  records: ReadonlyArray<LedgerRecord>,
) {
  const { sellerId, mode } = feed
  const named = [...new Map(records.map((record) => [record.resourceId, record])).values()]
  const indexes = {
    transaction: keys.transactionsKey(sellerId, mode),
    withdrawal: keys.withdrawalsKey(sellerId, mode),
    refund: keys.refundsKey(sellerId, mode),
  }
  const indexOf = ({ resourceType }: LedgerRecord) => indexes[resourceType]
  const scores = yield* client.callAll(
    named.map((record): RedisCommand => ["ZSCORE", [indexOf(record), record.resourceId]]),
  )
  const missing = named.find((_, i) => scores[i] === null)
  if (missing !== undefined) {
    yield* differs("ledger", indexOf(missing), {
      expected: `${missing.resourceId} in it, since entry ${missing.entryId} of ${keys.ledgerKey(feed)} names it`,
      found: "no such id",
    })
  }
})

/**
 * Checks the whole ledger of a seller and mode, entry by entry: seq, sums and the balance that each says it left; then
 * that the balance's hash is their total. Returns how many entries there are.
 */
export const auditLedger = Effect.fnUntraced(function* (client: Client, feed: Feed, anchor: AuditAnchor) {
  const ledger = keys.ledgerKey(feed)
  let fold = emptyFold
  let position = ""
  while (position !== anchor.newestLedgerEntryId) {
    const page = yield* readStream(client, ledger, position, anchor.newestLedgerEntryId)
    if (page.length === 0) {
      yield* differs("ledger", ledger, { expected: `entry ${anchor.newestLedgerEntryId}`, found: "none" })
    }
    const records: Array<LedgerRecord> = []
    for (const raw of page) {
      const read = readLedgerEntry(raw)
      if (Result.isFailure(read)) return yield* differs("ledger", ledger, read.failure)
      const record = read.success
      fold = foldEntry(fold, record)
      const fault = entryFault(fold, record)
      if (fault !== undefined) return yield* differs("ledger", ledger, fault)
      records.push(record)
    }
    yield* auditResources(client, feed, records)
    position = page.at(-1)?.[0] ?? position
  }
  const fault = balanceFault(fold, anchor.balance)
  if (fault !== undefined) return yield* differs("balance", keys.balanceKey(feed), fault)
  return fold.entries
})
