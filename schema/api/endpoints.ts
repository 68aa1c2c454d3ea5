import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { limits } from "../limits.ts"
import { Endpoint } from "../resources/endpoint.ts"
import { lineOf } from "../text.ts"
import { DateTimeText, idParams } from "./common.ts"
import { route } from "./route.ts"
import { SellerAuth } from "./security.ts"

const timestamp = Schema.String.annotate({ format: "date-time" })
const change = ["session_required", "origin_not_allowed", "permission_denied", "mfa_required"] as const
const body = ["validation_failed", "length_required", "payload_too_large", "unsupported_media_type"] as const

const Url = lineOf(1, limits.destinationUrlLengthMax)
const EventTypes = Schema.Array(Schema.String).check(Schema.isBetweenLength(1, limits.endpointEventsMax))
const Description = lineOf(0, limits.endpointDescriptionLengthMax)

/** Webhook endpoints of a mode. */
export const endpointsGroup = HttpApiGroup.make("endpoints")
  .add(
    route.get("listEndpoints", "/v1/me/webhook-endpoints", {
      summary: "Webhook endpoints, newest first",
      success: Schema.Struct({ data: Schema.Array(Endpoint) }),
      errors: ["validation_failed", "session_required", "permission_denied"],
    }),
    route.post("createEndpoint", "/v1/me/webhook-endpoints", {
      summary: "Create a webhook endpoint; its secret is shown only this once",
      stepUp: "webhook",
      payload: Schema.Struct({
        url: Url,
        events: EventTypes,
        description: Schema.optionalKey(Schema.NullOr(Description)),
      }).annotate({
        identifier: "CreateEndpoint",
        examples: [
          {
            url: "https://shop.example/webhooks",
            events: ["transaction.paid", "transaction.refunded"],
            description: "Orders",
          },
        ],
      }),
      success: Endpoint.pipe(HttpApiSchema.status(201)),
      errors: [...body, "invalid_url", "invalid_event_type", ...change, "invalid_state"],
    }),
    route.patch("patchEndpoint", "/v1/me/webhook-endpoints/:id", {
      summary: "Change a webhook endpoint",
      stepUp: "webhook",
      params: idParams,
      payload: Schema.Struct({
        url: Schema.optionalKey(Url),
        events: Schema.optionalKey(EventTypes),
        enabled: Schema.optionalKey(Schema.Boolean),
        description: Schema.optionalKey(Schema.NullOr(Description)),
      }).annotate({ identifier: "EndpointPatch", examples: [{ enabled: false }] }),
      success: Endpoint,
      errors: [...body, "invalid_url", "invalid_event_type", ...change, "resource_not_found"],
    }),
    route.delete("deleteEndpoint", "/v1/me/webhook-endpoints/:id", {
      summary: "Delete a webhook endpoint",
      stepUp: "webhook",
      params: idParams,
      success: HttpApiSchema.NoContent,
      errors: ["validation_failed", ...change, "resource_not_found"],
    }),
    route.post("rotateEndpointSecret", "/v1/me/webhook-endpoints/:id/rotate-secret", {
      summary: "Replace the secret; deliveries carry two signatures for 24 h",
      stepUp: "webhook",
      params: idParams,
      success: Schema.Struct({ secret: Schema.String, previous_secret_expires_at: timestamp }),
      errors: ["validation_failed", ...change, "resource_not_found"],
    }),
    route.get("getEndpointStats", "/v1/me/webhook-endpoints/:id/stats", {
      summary: "Delivery statistics of the last seven days",
      params: idParams,
      success: Schema.Struct({
        success_rate_7d: Schema.NullOr(Schema.Finite),
        deliveries_7d: Schema.Int,
        last_ping_at: Schema.NullOr(timestamp),
        last_ping_ok: Schema.NullOr(Schema.Boolean),
      }),
      errors: ["validation_failed", "session_required", "permission_denied", "resource_not_found"],
    }),
    route.post("pingEndpoint", "/v1/me/webhook-endpoints/:id/ping", {
      summary: "Send a test delivery, even to a disabled endpoint",
      params: idParams,
      success: Schema.Struct({ delivery_id: Schema.String }).pipe(HttpApiSchema.status(202)),
      errors: [
        "validation_failed",
        "session_required",
        "origin_not_allowed",
        "permission_denied",
        "resource_not_found",
      ],
    }),
    route.post("recoverEndpoint", "/v1/me/webhook-endpoints/:id/recover", {
      summary: "Send again everything that failed in a period",
      stepUp: "webhook",
      params: idParams,
      payload: Schema.Struct({ since: DateTimeText, until: Schema.optionalKey(DateTimeText) }).annotate({
        identifier: "Recover",
        examples: [{ since: "2026-11-21T00:00:00Z" }],
      }),
      success: Schema.Struct({ queued: Schema.Int }).pipe(HttpApiSchema.status(202)),
      errors: [...body, ...change, "resource_not_found", "invalid_state"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "Where the events of a mode are delivered.")

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

/** The seller's postback secret, and the tracker of a mode. */
export const destinationsGroup = HttpApiGroup.make("destinations")
  .add(
    route.get("getPostbackSecret", "/v1/me/postback-secret", {
      summary: "Facts about the postback secret, but not the secret",
      success: PostbackSecret,
      errors: ["session_required", "permission_denied"],
    }),
    route.post("rotatePostbackSecret", "/v1/me/postback-secret/rotate", {
      summary: "Replace the postback secret; the old one ends immediately",
      stepUp: "webhook",
      success: Schema.Struct({ secret: Schema.String }),
      errors: [...change],
    }),
    route.get("getTracker", "/v1/me/tracker", {
      summary: "The mode's tracker; its header values are masked",
      success: Tracker,
      errors: ["validation_failed", "session_required", "permission_denied", "resource_not_found"],
    }),
    route.put("putTracker", "/v1/me/tracker", {
      summary: "Send the mode's transaction.* events to a third party as well",
      stepUp: "webhook",
      payload: Schema.Struct({
        url: Url,
        headers: Schema.optionalKey(TrackerHeaders).annotateKey({
          description: "Sent with every event; answers mask their values.",
        }),
      }).annotate({
        identifier: "PutTracker",
        examples: [{ url: "https://tracker.example/orders", headers: { "X-Api-Token": "their-token" } }],
      }),
      success: Tracker,
      errors: [...body, "invalid_url", ...change],
    }),
    route.delete("deleteTracker", "/v1/me/tracker", {
      summary: "Remove the mode's tracker",
      stepUp: "webhook",
      success: HttpApiSchema.NoContent,
      errors: ["validation_failed", ...change, "resource_not_found"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "Destinations of a seller besides its webhook endpoints.")
