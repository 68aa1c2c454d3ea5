import { Clock, Effect, Layer, Metric } from "effect"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { requestsFirst } from "../../actors/timers/requestsFirst.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import { readAuditResult, type StoredAuditResult } from "../store/audit.ts"
import * as keys from "../store/keys.ts"
import { holdLease, releaseLease } from "../store/partitions.ts"
import { RedisClient } from "../store/redis/redisClient.ts"
import { StoreOptions } from "../store/storeOptions.ts"
import { auditAndStore } from "./auditRun.ts"

/** A client whose calls start when no request is waiting, so that pages of reads let requests go in between. */
export const yieldingClient = (
  client: RedisClient["Service"],
  requests: RequestDelay["Service"],
): RedisClient["Service"] => {
  const afterRequests = requestsFirst(requests)
  return {
    ...client,
    call: (command, args) => Effect.andThen(afterRequests, client.call(command, args)),
    callAll: (commands) => Effect.andThen(afterRequests, client.callAll(commands)),
  }
}

/** Metrics of audits; all but the interval are absent before the first. */
const auditMetrics = {
  intervalSeconds: Metric.gauge("corrente_audit_interval_seconds", {
    description: "AUDIT_INTERVAL_SECONDS: how often one process audits; 0: never",
  }),
  ok: Metric.gauge("corrente_audit_ok", {
    description: "1 if the last audit found every balance, counter and index correct, else 0",
  }),
  lastRunSeconds: Metric.gauge("corrente_audit_last_run_seconds", {
    description: "Unix time at which the last audit ended",
  }),
  oldestFullSeconds: Metric.gauge("corrente_audit_oldest_full_seconds", {
    description: "Unix time since when every mode of every seller has been audited from its beginning",
  }),
} as const

const publish = Effect.fnUntraced(function* ({
  differingCheck,
  endedMillis,
  oldestFullMillis,
}: StoredAuditResult) {
  yield* Metric.update(auditMetrics.ok, differingCheck === undefined ? 1 : 0)
  yield* Metric.update(auditMetrics.lastRunSeconds, endedMillis / 1_000)
  if (oldestFullMillis !== undefined) {
    yield* Metric.update(auditMetrics.oldestFullSeconds, oldestFullMillis / 1_000)
  }
})

/** Whether an audit is due: the last one ended an interval ago, or ahead of the clock, which was then set back. */
const isDue = (last: StoredAuditResult | undefined, nowMillis: number, intervalMillis: number): boolean =>
  last === undefined || Math.abs(nowMillis - last.endedMillis) >= intervalMillis

/** Runs an effect if this process gets the lease on audits, and keeps the lease until the effect ends. */
const whileAuditor = Effect.fnUntraced(function* <E>(
  client: RedisClient["Service"],
  processId: string,
  run: Effect.Effect<void, E>,
): Effect.fn.Return<void, E | StoreUnavailable> {
  const hold = holdLease(client, keys.auditorKey, processId, limits.auditLeaseMillis)
  if (!(yield* hold)) return
  // Without the lease two processes may audit, which does no harm.
  const keep = Effect.andThen(Effect.sleep(limits.auditLeaseMillis / 3), Effect.ignore(hold))
  yield* Effect.raceFirst(run, Effect.forever(keep)).pipe(
    Effect.ensuring(Effect.ignore(releaseLease(client, keys.auditorKey, processId))),
  )
})

/**
 * Audits while the service runs, whenever the last audit ended an interval (ms) ago: one process at a time, and the metrics of
 * each show the result of the last one, whichever ran it. Undefined: never. An audit that could not read (Redis away) has no result,
 * and the last one stands.
 */
export const AuditTimerLive = (intervalMillis: number | undefined) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      let last: StoredAuditResult | undefined
      yield* Metric.update(auditMetrics.intervalSeconds, (intervalMillis ?? 0) / 1_000)
      if (intervalMillis !== undefined) {
        const client = yield* RedisClient
        const { processId } = yield* StoreOptions
        const yielding = yieldingClient(client, yield* RequestDelay)
        const see = Effect.gen(function* () {
          last = yield* readAuditResult(client)
          if (last !== undefined) yield* publish(last)
        })
        const audit = auditAndStore(yielding, false).pipe(
          Effect.asVoid,
          Effect.catchTag("AuditDifference", ({ sentence }) => Effect.logError(sentence)),
        )
        const look = Effect.gen(function* () {
          yield* see
          if (!isDue(last, yield* Clock.currentTimeMillis, intervalMillis)) return
          yield* Effect.catch(whileAuditor(client, processId, audit), (error) =>
            Effect.logWarning(`The audit did not complete: ${error.operation}: ${error.reason}`),
          )
          yield* see
        }).pipe(Effect.catch((error) => Effect.logDebug(`look at the last audit: ${error.reason}`)))
        const pause = Effect.sleep(Math.min(intervalMillis, limits.auditLookMillis))
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, pause)))
      }
    }),
  )
