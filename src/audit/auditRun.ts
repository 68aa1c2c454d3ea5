import { Clock, Effect } from "effect"
import { writeAuditResult } from "../store/audit.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import type { AuditFailure } from "./reads.ts"
import { type AuditReport, verifyAll } from "./verify.ts"

/**
 * Audits, and stores how that ended for every process of the service. Fails as {@link verifyAll} does; an audit that could not
 * read everything leaves the result before it.
 */
export const auditAndStore = (
  client: RedisClient["Service"],
  isFull: boolean,
): Effect.Effect<AuditReport, AuditFailure> => {
  const store = (differingCheck: string | undefined, oldestFullMillis: number | undefined) =>
    Effect.flatMap(Clock.currentTimeMillis, (endedMillis) =>
      writeAuditResult(client, { differingCheck, endedMillis, oldestFullMillis }),
    )
  return verifyAll(client, isFull).pipe(
    Effect.tap(({ oldestFullMillis }) => store(undefined, oldestFullMillis)),
    Effect.tapError((failure) =>
      failure._tag === "AuditDifference" ? store(failure.check, undefined) : Effect.void,
    ),
  )
}
