import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { repairAll } from "../../audit/repair.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { defineCommand } from "../command.ts"
import { toApiError } from "./auditVerify.ts"

export const auditRepair = defineCommand({
  name: "audit repair",
  help: "Sets the timers that charges, withdrawals, notices and API keys need and do not have. It sets no others and moves no money; the service may run meanwhile.",
  parameters: {},
  timeoutMillis: 60 * 60 * 1000,
  run: Effect.fnUntraced(function* () {
    const names = yield* repairAll(yield* RedisClient).pipe(
      Effect.catchTag("AuditDifference", (difference) => Effect.fail(toApiError(difference))),
    )
    return { ok: true, timers_set: names.length, timers: names.slice(0, limits.repairedTimersShownMax) }
  }),
})
