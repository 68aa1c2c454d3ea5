import { Cause, Clock, Context, Effect, Exit, Layer, Metric } from "effect"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { RedisClient } from "../store/redis/redisClient.ts"
import type { AuditDifference } from "./difference.ts"
import type { AuditFailure } from "./reads.ts"
import { type AuditReport, verifyAll } from "./verify.ts"
import { yieldingClient } from "./yieldingClient.ts"

/** How the last audit ended, and when in ms. An audit that could not read everything has no result. */
export type AuditOutcome =
  | { readonly kind: "ok"; readonly report: AuditReport; readonly endedMillis: number }
  | { readonly kind: "difference"; readonly difference: AuditDifference; readonly endedMillis: number }

/** The result of this process's last audit; undefined before the first one has ended, or if none runs. */
export const AuditResult = Context.Reference<{ readonly last: () => AuditOutcome | undefined }>(
  "corrente/audit/AuditResult",
  { defaultValue: () => ({ last: () => undefined }) },
)

/** Metrics of the last audit, absent before the first. */
export const auditMetrics = {
  ok: Metric.gauge("corrente_audit_ok", {
    description: "1 if the last audit found every balance, counter and index correct, else 0",
  }),
  lastRunSeconds: Metric.gauge("corrente_audit_last_run_seconds", {
    description: "Unix time at which the last audit ended",
  }),
} as const

const outcomeOf = (
  exit: Exit.Exit<AuditReport, AuditFailure>,
  endedMillis: number,
): AuditOutcome | undefined => {
  if (Exit.isSuccess(exit)) return { kind: "ok", report: exit.value, endedMillis }
  const failure = Cause.findErrorOption(exit.cause)
  return failure._tag === "Some" && failure.value._tag === "AuditDifference"
    ? { kind: "difference", difference: failure.value, endedMillis }
    : undefined
}

const publish = Effect.fnUntraced(function* (outcome: AuditOutcome) {
  yield* Metric.update(auditMetrics.ok, outcome.kind === "ok" ? 1 : 0)
  yield* Metric.update(auditMetrics.lastRunSeconds, outcome.endedMillis / 1_000)
  if (outcome.kind === "difference") yield* Effect.logError(outcome.difference.sentence)
})

/**
 * Audits at start and then after each interval (ms) while the service runs; undefined: never. An audit that could not
 * read (Redis away) has no result, and the last one stands.
 */
export const AuditTimerLive = (intervalMillis: number | undefined) =>
  Layer.effect(
    AuditResult,
    Effect.gen(function* () {
      let last: AuditOutcome | undefined
      if (intervalMillis !== undefined) {
        const client = yieldingClient(yield* RedisClient, yield* RequestDelay)
        const run = Effect.gen(function* () {
          const exit = yield* Effect.exit(verifyAll(client))
          const outcome = outcomeOf(exit, yield* Clock.currentTimeMillis)
          if (outcome !== undefined) {
            last = outcome
            yield* publish(outcome)
          } else if (Exit.isFailure(exit)) {
            yield* Effect.logWarning("The audit did not complete", exit.cause)
          }
          yield* Effect.sleep(intervalMillis)
        })
        yield* Effect.forkScoped(Effect.forever(run))
      }
      return { last: () => last }
    }),
  )
