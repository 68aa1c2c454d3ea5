import { Clock, Effect, Layer } from "effect"
import { AuditResult } from "./audit/auditTimer.ts"
import { Scheduler } from "./delivery/scheduler.ts"
import { type Check, Readiness } from "./http/readiness.ts"
import { durabilityProblem } from "./store/durability.ts"
import { library, loadedVersion } from "./store/functionLibrary.ts"
import { RedisClient } from "./store/redisClient.ts"

/** The scheduler looks at everything twice a second; more than this late it does not keep up. */
const schedulerLagMaxMillis = 5_000

/**
 * The checks of `/ready` (spec 1): Redis, how it is set, the function library, whether timers and deliveries run, and how
 * the last audit ended.
 */
export const ReadinessLive = Layer.effect(
  Readiness,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const scheduler = yield* Scheduler
    const audits = yield* AuditResult

    const redis = Effect.forEach(client.servers(), (server) => server.call("PING", []), {
      concurrency: "unbounded",
      discard: true,
    }).pipe(Effect.map((): Check => "ok"))
    const durability = Effect.map(durabilityProblem(client), (problem): Check => {
      if (problem === undefined) return "ok"
      return problem === "skipped" ? "skipped" : { error: problem }
    })
    const functions = Effect.map(
      loadedVersion(client),
      (version): Check =>
        version === library.version
          ? "ok"
          : { error: `the function library in Redis is ${version ?? "missing"}, not ${library.version}` },
    )
    const schedulerCheck = Effect.map(Clock.currentTimeMillis, (nowMillis): Check => {
      const lagMillis = scheduler.lagMillis(nowMillis)
      return lagMillis <= schedulerLagMaxMillis
        ? "ok"
        : { error: `timers and deliveries were last looked at ${Math.round(lagMillis)} ms ago` }
    })
    const audit = Effect.sync((): Check => {
      const last = audits.last()
      if (last === undefined) return "skipped"
      // Anybody may ask: whose money it is about stands in the log.
      return last.kind === "ok"
        ? "ok"
        : {
            error: `the last audit found a difference (${last.difference.check}); the log and \`ops audit verify\` say which`,
          }
    })
    const orError = (check: Effect.Effect<Check, { readonly reason: string }>) =>
      check.pipe(Effect.catch((error) => Effect.succeed<Check>({ error: error.reason })))

    return Readiness.of({
      checks: Effect.all(
        {
          redis: orError(redis),
          durability: orError(durability),
          functions: orError(functions),
          scheduler: schedulerCheck,
          audit,
        },
        { concurrency: "unbounded" },
      ),
    })
  }),
)
