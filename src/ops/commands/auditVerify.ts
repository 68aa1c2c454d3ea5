import { Effect } from "effect"
import { ApiError } from "../../../schema/errors.ts"
import type { AuditDifference } from "../../audit/difference.ts"
import { verifyAll } from "../../audit/verify.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { defineCommand } from "../command.ts"

/** A difference as the CLI tells it. */
export const toApiError = (difference: AuditDifference): ApiError => {
  const { check, key, expected, found } = difference
  return new ApiError({
    code: "internal_error",
    message: difference.sentence,
    details: { check, key, expected, found },
  })
}

export const auditVerify = defineCommand({
  name: "audit verify",
  help: "Recomputes every balance, counter and index from the streams, looks for the timers that states need, and fails with the first difference. It reads only; the service may run meanwhile.",
  parameters: {},
  timeoutMillis: 60 * 60 * 1000,
  run: Effect.fnUntraced(function* () {
    const report = yield* verifyAll(yield* RedisClient).pipe(
      Effect.catchTag("AuditDifference", (difference) => Effect.fail(toApiError(difference))),
    )
    return {
      ok: true,
      sellers: report.sellers,
      ledger_entries: report.ledgerEntries,
      transactions: report.transactions,
      withdrawals: report.withdrawals,
      pix_keys: report.pixKeys,
      events: report.events,
      took_ms: report.tookMillis,
    }
  }),
})
