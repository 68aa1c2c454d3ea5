import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { limits } from "../limits.ts"
import { Endpoint } from "../resources/endpoint.ts"
import { lineOf } from "../text.ts"
import { DateTimeText, errorsOf, idParams } from "./common.ts"
import { SellerAuth, StepUp } from "./security.ts"

const timestamp = Schema.String.annotate({ format: "date-time" })
const change = ["session_required", "origin_not_allowed", "permission_denied", "mfa_required"] as const
const body = ["validation_failed", "length_required", "payload_too_large", "unsupported_media_type"] as const

const Url = lineOf(1, limits.destinationUrlLengthMax)
const EventTypes = Schema.Array(Schema.String).check(Schema.isBetweenLength(1, limits.endpointEventsMax))
const Description = lineOf(0, limits.endpointDescriptionLengthMax)

/** Webhook endpoints of a mode (spec 4.3; recover by decisions 5). */
export const endpointsGroup = HttpApiGroup.make("endpoints")
  .add(
    HttpApiEndpoint.get("listEndpoints", "/v1/me/webhook-endpoints", {
      disableCodecs: true,
      success: Schema.Struct({ data: Schema.Array(Endpoint) }),
      error: errorsOf("validation_failed", "session_required", "permission_denied"),
    }).annotate(OpenApi.Summary, "Webhook endpoints, newest first"),
    HttpApiEndpoint.post("createEndpoint", "/v1/me/webhook-endpoints", {
      disableCodecs: true,
      payload: Schema.Struct({
        url: Url,
        events: EventTypes,
        description: Schema.optionalKey(Schema.NullOr(Description)),
      }).annotate({ identifier: "CreateEndpoint" }),
      success: Endpoint.pipe(HttpApiSchema.status(201)),
      error: errorsOf(...body, "invalid_url", "invalid_event_type", ...change, "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Create a webhook endpoint; its secret is shown this once")
      .annotate(StepUp, "webhook"),
    HttpApiEndpoint.patch("patchEndpoint", "/v1/me/webhook-endpoints/:id", {
      disableCodecs: true,
      params: idParams,
      payload: Schema.Struct({
        url: Schema.optionalKey(Url),
        events: Schema.optionalKey(EventTypes),
        enabled: Schema.optionalKey(Schema.Boolean),
        description: Schema.optionalKey(Schema.NullOr(Description)),
      }).annotate({ identifier: "EndpointPatch" }),
      success: Endpoint,
      error: errorsOf(...body, "invalid_url", "invalid_event_type", ...change, "resource_not_found"),
    })
      .annotate(OpenApi.Summary, "Change a webhook endpoint")
      .annotate(StepUp, "webhook"),
    HttpApiEndpoint.delete("deleteEndpoint", "/v1/me/webhook-endpoints/:id", {
      disableCodecs: true,
      params: idParams,
      success: HttpApiSchema.NoContent,
      error: errorsOf("validation_failed", ...change, "resource_not_found"),
    })
      .annotate(OpenApi.Summary, "Delete a webhook endpoint")
      .annotate(StepUp, "webhook"),
    HttpApiEndpoint.post("rotateEndpointSecret", "/v1/me/webhook-endpoints/:id/rotate-secret", {
      disableCodecs: true,
      params: idParams,
      success: Schema.Struct({ secret: Schema.String, previous_secret_expires_at: timestamp }),
      error: errorsOf("validation_failed", ...change, "resource_not_found"),
    })
      .annotate(OpenApi.Summary, "Make a new secret; deliveries carry two signatures for 24 h")
      .annotate(StepUp, "webhook"),
    HttpApiEndpoint.get("getEndpointStats", "/v1/me/webhook-endpoints/:id/stats", {
      disableCodecs: true,
      params: idParams,
      success: Schema.Struct({
        success_rate_7d: Schema.NullOr(Schema.Finite),
        deliveries_7d: Schema.Int,
        last_ping_at: Schema.NullOr(timestamp),
        last_ping_ok: Schema.NullOr(Schema.Boolean),
      }),
      error: errorsOf("validation_failed", "session_required", "permission_denied", "resource_not_found"),
    }).annotate(OpenApi.Summary, "How an endpoint has done these seven days"),
    HttpApiEndpoint.post("pingEndpoint", "/v1/me/webhook-endpoints/:id/ping", {
      disableCodecs: true,
      params: idParams,
      success: Schema.Struct({ delivery_id: Schema.String }).pipe(HttpApiSchema.status(202)),
      error: errorsOf(
        "validation_failed",
        "session_required",
        "origin_not_allowed",
        "permission_denied",
        "resource_not_found",
      ),
    }).annotate(OpenApi.Summary, "Send a test delivery, to disabled endpoints too"),
    HttpApiEndpoint.post("recoverEndpoint", "/v1/me/webhook-endpoints/:id/recover", {
      disableCodecs: true,
      params: idParams,
      payload: Schema.Struct({ since: DateTimeText, until: Schema.optionalKey(DateTimeText) }).annotate({
        identifier: "Recover",
      }),
      success: Schema.Struct({ queued: Schema.Int }).pipe(HttpApiSchema.status(202)),
      error: errorsOf(...body, ...change, "resource_not_found", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Send again all that failed since then")
      .annotate(StepUp, "webhook"),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "Where a mode's events are delivered to.")

const PostbackSecret = Schema.Struct({
  prefix: Schema.NullOr(Schema.String),
  rotated_at: Schema.NullOr(timestamp),
  previous_valid_until: Schema.NullOr(timestamp),
}).annotate({ identifier: "PostbackSecret" })

const headerNames = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/
const TrackerHeaders = Schema.Record(
  Schema.String,
  Schema.String.check(
    Schema.isMaxLength(limits.trackerHeaderLengthMax),
    Schema.isPattern(/^[\t\x20-\x7e]*$/),
  ),
).check(
  Schema.makeFilter((headers: Readonly<Record<string, string>>) => {
    const names = Object.keys(headers)
    if (names.length > limits.trackerHeadersMax) return `at most ${limits.trackerHeadersMax} headers`
    return names.every((name) => headerNames.test(name)) || "headers with HTTP header names"
  }),
)

const Tracker = Schema.Struct({
  url: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String),
  created_at: timestamp,
}).annotate({ identifier: "Tracker" })

/** The store's postback secret (spec 4.3) and its tracker of a mode (decisions 5). */
export const destinationsGroup = HttpApiGroup.make("destinations")
  .add(
    HttpApiEndpoint.get("getPostbackSecret", "/v1/me/postback-secret", {
      disableCodecs: true,
      success: PostbackSecret,
      error: errorsOf("session_required", "permission_denied"),
    }).annotate(OpenApi.Summary, "What there is of the postback secret, not the secret"),
    HttpApiEndpoint.post("rotatePostbackSecret", "/v1/me/postback-secret/rotate", {
      disableCodecs: true,
      success: Schema.Struct({ secret: Schema.String }),
      error: errorsOf(...change),
    })
      .annotate(OpenApi.Summary, "Make a new postback secret; the old one ends at once")
      .annotate(StepUp, "webhook"),
    HttpApiEndpoint.get("getTracker", "/v1/me/tracker", {
      disableCodecs: true,
      success: Tracker,
      error: errorsOf("validation_failed", "session_required", "permission_denied", "resource_not_found"),
    }).annotate(OpenApi.Summary, "The mode's tracker; values of its headers are masked"),
    HttpApiEndpoint.put("putTracker", "/v1/me/tracker", {
      disableCodecs: true,
      payload: Schema.Struct({ url: Url, headers: Schema.optionalKey(TrackerHeaders) }).annotate({
        identifier: "PutTracker",
      }),
      success: Tracker,
      error: errorsOf(...body, "invalid_url", ...change),
    })
      .annotate(OpenApi.Summary, "Send the mode's transaction.* events to a third party as well")
      .annotate(StepUp, "webhook"),
    HttpApiEndpoint.delete("deleteTracker", "/v1/me/tracker", {
      disableCodecs: true,
      success: HttpApiSchema.NoContent,
      error: errorsOf("validation_failed", ...change, "resource_not_found"),
    })
      .annotate(OpenApi.Summary, "Remove the mode's tracker")
      .annotate(StepUp, "webhook"),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "Destinations of a store besides its webhook endpoints.")
