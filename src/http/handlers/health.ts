import { Clock, Effect } from "effect"
import type { api } from "../../../schema/api/index.ts"
import { Readiness } from "../readiness.ts"
import type { Handlers } from "../server/request.ts"

type HealthHandlers = Pick<Handlers<typeof api, never>, "health" | "ready">

/** Liveness and readiness. */
export const makeHealthHandlers = Effect.fnUntraced(function* (version: string) {
  const readiness = yield* Readiness
  const startedMillis = yield* Clock.currentTimeMillis

  const handlers: HealthHandlers = {
    health: () =>
      Effect.map(Clock.currentTimeMillis, (nowMillis) => ({
        status: 200,
        body: JSON.stringify({
          status: "ok",
          version,
          uptime_s: Math.floor((nowMillis - startedMillis) / 1_000),
        }),
      })),
    ready: () =>
      Effect.map(readiness.checks, (checks) => {
        const isOk = Object.values(checks).every((check) => typeof check === "string")
        return {
          status: isOk ? 200 : 503,
          body: JSON.stringify({ status: isOk ? "ok" : "degraded", checks }),
        }
      }),
  }
  return handlers
})
