import { Effect } from "effect"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { partitionsInUse } from "./partitionAudit.ts"
import type { AuditFailure } from "./reads.ts"
import { repairTimers } from "./timerAudit.ts"

/** Sets every missing timer that a state needs, in all partitions; returns their names. Never touches money. */
export const repairAll = (
  client: RedisClient["Service"],
): Effect.Effect<ReadonlyArray<string>, AuditFailure> =>
  Effect.gen(function* () {
    const set: Array<string> = []
    for (const partition of yield* partitionsInUse(client))
      set.push(...(yield* repairTimers(client, partition)))
    return set
  })
