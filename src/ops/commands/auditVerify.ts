import { Effect } from "effect"
import { Command } from "effect/cli"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"
import { auditAndStore } from "../../audit/auditRun.ts"
import type { AuditDifference } from "../../audit/difference.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { answer } from "../answer.ts"
import { switchFlag } from "../parameters.ts"
import { type Block, fields, note } from "../text/blocks.ts"
import { count, time } from "../text/values.ts"

/** An audit reads everything that is stored. */
export const auditTimeoutMillis = 60 * 60 * 1000

/** A difference as an API error; failures of Redis stay as they are. */
export const toApiError = (failure: AuditDifference | StoreUnavailable): ApiError | StoreUnavailable => {
  if (failure._tag === "StoreUnavailable") return failure
  const { check, key, expected, found } = failure
  return new ApiError({
    code: "internal_error",
    message: failure.sentence,
    details: { check, key, expected, found },
  })
}

const verify = Effect.fnUntraced(function* ({ full }: { readonly full: boolean }) {
  const report = yield* auditAndStore(yield* RedisClient, full).pipe(Effect.mapError(toApiError))
  const { oldestFullMillis } = report
  return {
    ok: true,
    sellers: report.sellers,
    ledger_entries: report.ledgerEntries,
    transactions: report.transactions,
    withdrawals: report.withdrawals,
    refunds: report.refunds,
    pix_keys: report.pixKeys,
    events: report.events,
    from_checkpoints: report.modesResumed,
    oldest_full_at: oldestFullMillis === undefined ? null : new Date(oldestFullMillis).toISOString(),
    took_ms: report.tookMillis,
  }
})

const shownReport = (report: Effect.Success<ReturnType<typeof verify>>): ReadonlyArray<Block> => [
  note("Everything adds up."),
  fields(
    ["Sellers", count(report.sellers)],
    ["Ledger entries", count(report.ledger_entries)],
    ["Transactions", count(report.transactions)],
    ["Withdrawals", count(report.withdrawals)],
    ["Refunds", count(report.refunds)],
    ["PIX keys", count(report.pix_keys)],
    ["Events", count(report.events)],
    ["Modes from a checkpoint", count(report.from_checkpoints)],
    ["Oldest full audit", time(report.oldest_full_at)],
    ["Took", `${(report.took_ms / 1000).toFixed(1)} s`],
  ),
]

const flags = {
  full: switchFlag("full", "Begin at the beginning, and not where the last audit ended."),
}

export const auditVerify = Command.make(
  "verify",
  flags,
  answer(verify, shownReport, auditTimeoutMillis),
).pipe(
  Command.withDescription(
    "Recompute every balance, counter and index from the streams, check the timers that states require, and fail at the first difference. Goes on where the last audit ended. Writes only how far it came; the service may keep running.",
  ),
)
