import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Probe } from "./common.ts"
import { route } from "./route.ts"

const Ready = Schema.Struct({
  status: Schema.Literals(["ok", "degraded"]),
  checks: Schema.Record(
    Schema.String,
    Schema.Union([Schema.Literals(["ok", "skipped"]), Schema.Struct({ error: Schema.String })]),
  ),
})

/** Liveness and readiness. */
export const healthGroup = HttpApiGroup.make("health")
  .add(
    route.get("health", "/health", {
      summary: "The process is alive",
      success: Schema.Struct({
        status: Schema.Literal("ok"),
        version: Schema.String,
        uptime_s: Schema.Int,
      }),
    }),
    route.get("ready", "/ready", {
      summary: "The process can serve",
      success: [
        Ready.annotate({ description: "Every dependency is ok." }),
        Ready.annotate({ description: "A dependency is unavailable or misconfigured." }).pipe(
          HttpApiSchema.status(503),
        ),
      ],
    }),
  )
  .annotateEndpoints(Probe, true)
  .annotate(OpenApi.Description, "Probes for load balancers and operators.")
