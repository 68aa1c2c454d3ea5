import { Effect } from "effect"
import { Command } from "effect/cli"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"
import type { AuditDifference } from "../../audit/difference.ts"
import { verifyAll } from "../../audit/verify.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { answer } from "../answer.ts"

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

const verify = Effect.fnUntraced(function* () {
  const report = yield* verifyAll(yield* RedisClient).pipe(Effect.mapError(toApiError))
  return {
    ok: true,
    sellers: report.sellers,
    ledger_entries: report.ledgerEntries,
    transactions: report.transactions,
    withdrawals: report.withdrawals,
    refunds: report.refunds,
    pix_keys: report.pixKeys,
    events: report.events,
    took_ms: report.tookMillis,
  }
})

export const auditVerify = Command.make("verify", {}, answer(verify, auditTimeoutMillis)).pipe(
  Command.withDescription(
    "Recompute every balance, counter and index from the streams, check the timers that states require, and fail at the first difference. Only reads; the service may keep running.",
  ),
)
