import { Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { auditAnchor, repairCounters } from "../store/audit.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { differs } from "./difference.ts"
import { auditLedger } from "./ledgerAudit.ts"
import { isBehind, readLedgerBase } from "./ledgerBase.ts"
import { balanceFault, counterFields, foldFields, ledgerStart } from "./ledgerFold.ts"
import type { AuditFailure } from "./reads.ts"
import type { RepairReport } from "./repairReport.ts"

type Client = RedisClient["Service"]

const mend = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  report: RepairReport,
): Effect.fn.Return<void, AuditFailure> {
  let position = ledgerStart
  for (let tries = 0; tries < limits.repairCountersTriesMax; tries++) {
    const base = yield* readLedgerBase(client, feed)
    if (isBehind(position.entryId, base)) position = base.position
    const anchor = yield* auditAnchor(client, feed)
    const newestEntryId = anchor.newestLedgerEntryId
    const lastEntryId = newestEntryId || position.entryId
    const { end } = yield* auditLedger(client, feed, position, lastEntryId, undefined, () => Effect.void)
    position = end
    const fields = foldFields(end.fold)
    const isCounter = ([name]: readonly [string, string]) => counterFields.includes(name)
    const done = yield* repairCounters(client, feed, {
      newestEntryId,
      counters: fields.filter(isCounter),
      buckets: fields.filter((field) => !isCounter(field)),
    })
    if (done.kind === "repaired") {
      const balance = keys.balanceKey(feed)
      report.counters.push(...done.before.map(([name, before]) => `${balance}: ${name} was ${before}`))
      return
    }
    const fault = done.kind === "money" ? balanceFault(end.fold, anchor.balance) : undefined
    if (fault !== undefined) return yield* differs("balance", keys.balanceKey(feed), fault)
  }
})

/**
 * Sets the counters of a seller's and mode's balance to what its ledger adds up to. A ledger that is damaged itself, and a
 * balance whose buckets are not the ledger's, are left as they are and reported. A ledger that grows faster than it is read
 * is left to the next repair.
 */
export const repairCountersOf = (client: Client, feed: Feed, report: RepairReport) =>
  Effect.catchTag(mend(client, feed, report), "AuditDifference", (difference) =>
    Effect.sync(() => void report.refused.push(difference)),
  )
