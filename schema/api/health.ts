import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Probe } from "./common.ts"
import { Readers } from "./readers.ts"
import { route } from "./route.ts"

const Ready = Schema.Struct({
  status: Schema.Literals(["ok", "degraded"]).annotateKey({
    description: "`degraded`: a check has an error.",
  }),
  checks: Schema.Record(
    Schema.String,
    Schema.Union([
      Schema.Literals(["ok", "skipped"]),
      Schema.Struct({ error: Schema.String.annotateKey({ description: "What is wrong." }) }),
    ]),
  ).annotateKey({ description: "Each dependency by name." }),
})

const ok = "ok" as const
const checks = {
  ...{ redis: ok, durability: ok, replicas: "skipped" as const, functions: ok, streams: ok },
  ...{ scheduler: ok, load: ok },
}
const stopped = { error: "Redis does not answer; see the log for the reason" }

/** Liveness and readiness. */
export const healthGroup = HttpApiGroup.make("health")
  .add(
    route.get("health", "/health", {
      summary: "The process is alive",
      success: Schema.Struct({
        status: Schema.Literal("ok").annotateKey({ description: "The process answers." }),
        version: Schema.String.annotateKey({ description: "The version that runs.", examples: ["0.1.0"] }),
        uptime_s: Schema.Int.annotateKey({ description: "Seconds since it started.", examples: [3600] }),
      }),
    }),
    route.get("ready", "/ready", {
      summary: "The process can serve",
      success: [
        Ready.annotate({ description: "Every dependency is ok.", examples: [{ status: "ok", checks }] }),
        Ready.annotate({
          description: "A dependency is unavailable or misconfigured.",
          examples: [{ status: "degraded", checks: { ...checks, redis: stopped } }],
        }).pipe(HttpApiSchema.status(503)),
      ],
    }),
  )
  .annotateEndpoints(Probe, true)
  .annotateEndpoints(Readers, ["operator"])
  .annotate(OpenApi.Description, "Probes for load balancers and operators.")
