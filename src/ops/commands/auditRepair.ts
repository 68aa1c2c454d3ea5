import { Effect } from "effect"
import { Command } from "effect/cli"
import { limits } from "../../../schema/limits.ts"
import { repairAll } from "../../audit/repair.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { answer } from "../answer.ts"
import { auditTimeoutMillis, toApiError } from "./auditVerify.ts"

const repair = Effect.fnUntraced(function* () {
  const names = yield* repairAll(yield* RedisClient).pipe(Effect.mapError(toApiError))
  return { ok: true, timers_set: names.length, timers: names.slice(0, limits.repairedTimersShownMax) }
})

export const auditRepair = Command.make("repair", {}, answer(repair, auditTimeoutMillis)).pipe(
  Command.withDescription(
    "Set the timers that transactions, withdrawals, notices and API keys should have but do not. Sets no other timers and moves no money; the service may keep running.",
  ),
)
