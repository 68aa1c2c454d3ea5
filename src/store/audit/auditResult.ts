import { Effect } from "effect"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readHash } from "../sellers/sellerHash.ts"

/** How the last audit of all data ended, for every process. */
export interface StoredAuditResult {
  /** Which check found a difference; undefined: none did. */
  readonly differingCheck: string | undefined
  readonly endedMillis: number
  /** When the mode was last audited from the beginning for which that is longest ago; undefined: not known. */
  readonly oldestFullMillis: number | undefined
}

/** Writes how an audit ended. */
export const writeAuditResult = (client: RedisClient["Service"], result: StoredAuditResult) => {
  const { differingCheck = "", endedMillis, oldestFullMillis = "" } = result
  return Effect.asVoid(
    client.call("HSET", [
      keys.auditResultKey,
      ...["differing_check", differingCheck, "ended_at", endedMillis, "oldest_full_at", oldestFullMillis],
    ]),
  )
}

/** Reads how the last audit ended; undefined: none has. */
export const readAuditResult = (client: RedisClient["Service"]) =>
  Effect.map(client.call("HGETALL", [keys.auditResultKey]), (reply): StoredAuditResult | undefined => {
    const { differing_check, ended_at, oldest_full_at } = readHash(reply)
    if (ended_at === undefined) return undefined
    return {
      differingCheck: differing_check || undefined,
      endedMillis: Number(ended_at),
      oldestFullMillis: oldest_full_at ? Number(oldest_full_at) : undefined,
    }
  })
