import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Probe } from "./common.ts"

const Ready = Schema.Struct({
  status: Schema.Literals(["ok", "degraded"]),
  checks: Schema.Record(
    Schema.String,
    Schema.Union([Schema.Literals(["ok", "skipped"]), Schema.Struct({ error: Schema.String })]),
  ),
})

/** Probes (spec 1). */
export const healthGroup = HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("health", "/health", {
      disableCodecs: true,
      success: Schema.Struct({
        status: Schema.Literal("ok"),
        version: Schema.String,
        uptime_s: Schema.Int,
      }),
    }).annotate(OpenApi.Summary, "The process is alive"),
    HttpApiEndpoint.get("ready", "/ready", {
      disableCodecs: true,
      success: [
        Ready.annotate({ description: "Every dependency is ok." }),
        Ready.annotate({ description: "A dependency is away or set otherwise than it must be." }).pipe(
          HttpApiSchema.status(503),
        ),
      ],
    }).annotate(OpenApi.Summary, "The process can serve"),
  )
  .annotateEndpoints(Probe, true)
  .annotate(OpenApi.Description, "Probes for load balancers and operators.")
