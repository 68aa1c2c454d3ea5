import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { paidEvent } from "../events.ts"
import { textOrNull, timestamp, timestampOrNull } from "../fields.ts"
import { limits } from "../limits.ts"
import { rolesFor } from "../memberRoles.ts"
import { Endpoint, exampleSecret, NewEndpoint, orderings, WaitingDelivery } from "../resources/endpoint.ts"
import { lineOf } from "../text.ts"
import { DateTimeText, DeliveryId, idParams, listOf, pageOf, pageQuery } from "./common.ts"
import { route } from "./route.ts"
import { SellerAuth } from "./security.ts"

const change = ["session_required", "origin_not_allowed", "permission_denied", "mfa_required"] as const
const body = ["validation_failed", "length_required", "payload_too_large", "unsupported_media_type"] as const

const Url = lineOf(1, limits.destinationUrlLengthMax)
const EventTypes = Schema.Array(Schema.String).check(Schema.isBetweenLength(1, limits.endpointEventsMax))
const Description = lineOf(0, limits.endpointDescriptionLengthMax)
const url = {
  description:
    "Where events are delivered, at a public address: HTTPS, or a Redis Stream as `rediss://user:password@host:port/?stream=NAME&maxlen=N`, whose password is never shown.",
}
const events = { description: 'Types from `GET /v1/event-types`, or `["*"]` for all.' }
const description = { description: "For yourself." }
const ordering = {
  description:
    "`resource`: a later event of a resource waits until the delivery of the one before it has ended. Applies from the next event on.",
}
const NewSecret = Schema.String.annotateKey({
  description: "What deliveries are signed with from now on; shown only this once.",
  examples: [exampleSecret],
})

/** Webhook endpoints of a mode. */
export const endpointsGroup = HttpApiGroup.make("endpoints")
  .add(
    route.get("listEndpoints", "/v1/me/webhook-endpoints", {
      roles: rolesFor.reading,
      summary: "Webhook endpoints, newest first",
      success: listOf(Endpoint),
      errors: ["validation_failed", "session_required", "permission_denied"],
    }),
    route.post("createEndpoint", "/v1/me/webhook-endpoints", {
      roles: rolesFor.integrating,
      summary: "Create a webhook endpoint; its secret is shown only this once",
      stepUp: "webhook",
      payload: Schema.Struct({
        url: Url.annotateKey(url),
        events: EventTypes.annotateKey(events),
        description: Schema.optionalKey(Schema.NullOr(Description)).annotateKey(description),
        ordering: Schema.optionalKey(Schema.Literals(orderings)).annotateKey(ordering),
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
      success: NewEndpoint.pipe(HttpApiSchema.status(201)),
      errors: [
        ...body,
        "invalid_url",
        "invalid_event_type",
        ...change,
        "seller_not_allowed",
        "invalid_state",
      ],
    }),
    route.get("getEndpoint", "/v1/me/webhook-endpoints/:id", {
      roles: rolesFor.reading,
      summary: "One webhook endpoint",
      params: idParams,
      success: Endpoint,
      errors: ["validation_failed", "session_required", "permission_denied", "resource_not_found"],
    }),
    route.patch("patchEndpoint", "/v1/me/webhook-endpoints/:id", {
      roles: rolesFor.integrating,
      summary: "Change a webhook endpoint",
      stepUp: "webhook",
      params: idParams,
      payload: Schema.Struct({
        url: Schema.optionalKey(Url).annotateKey(url),
        events: Schema.optionalKey(EventTypes).annotateKey(events),
        enabled: Schema.optionalKey(Schema.Boolean).annotateKey({
          description: "Whether events are delivered to it.",
        }),
        description: Schema.optionalKey(Schema.NullOr(Description)).annotateKey(description),
        ordering: Schema.optionalKey(Schema.Literals(orderings)).annotateKey(ordering),
      }).annotate({ identifier: "EndpointPatch", examples: [{ enabled: false }] }),
      success: Endpoint,
      errors: [
        ...body,
        "invalid_url",
        "invalid_event_type",
        ...change,
        "seller_not_allowed",
        "resource_not_found",
      ],
    }),
    route.delete("deleteEndpoint", "/v1/me/webhook-endpoints/:id", {
      roles: rolesFor.integrating,
      summary: "Delete a webhook endpoint",
      stepUp: "webhook",
      params: idParams,
      success: HttpApiSchema.NoContent,
      errors: ["validation_failed", ...change, "resource_not_found"],
    }),
    route.post("rotateEndpointSecret", "/v1/me/webhook-endpoints/:id/rotate-secret", {
      roles: rolesFor.integrating,
      summary: "Replace the secret; deliveries carry two signatures for 24 h",
      stepUp: "webhook",
      params: idParams,
      success: Schema.Struct({
        secret: NewSecret,
        previous_secret_expires_at: timestamp.annotateKey({
          description: "Until when deliveries carry a signature by the replaced secret too.",
        }),
      }),
      errors: ["validation_failed", ...change, "resource_not_found"],
    }),
    route.get("getEndpointStats", "/v1/me/webhook-endpoints/:id/stats", {
      roles: rolesFor.reading,
      summary: "Delivery statistics of the last seven days",
      params: idParams,
      success: Schema.Struct({
        success_rate_7d: Schema.NullOr(Schema.Finite).annotateKey({
          description: "The share of the attempts that succeeded, 0 to 1; null if there were none.",
          examples: [0.98],
        }),
        deliveries_7d: Schema.Int.annotateKey({
          description: "Attempts in the last seven days, to the hour, without pings.",
          examples: [50],
        }),
        last_ping_at: timestampOrNull.annotateKey({
          description: "When the last ping ended; null if never.",
        }),
        last_ping_ok: Schema.NullOr(Schema.Boolean).annotateKey({
          description: "Whether it succeeded; null if never pinged.",
        }),
      }),
      errors: ["validation_failed", "session_required", "permission_denied", "resource_not_found"],
    }),
    route.get("listWaitingDeliveries", "/v1/me/webhook-endpoints/:id/waiting", {
      roles: rolesFor.reading,
      summary: "Events that wait for their turn, by resource and in order",
      params: idParams,
      query: pageQuery,
      success: pageOf(WaitingDelivery),
      errors: [
        "validation_failed",
        "invalid_cursor",
        "session_required",
        "permission_denied",
        "resource_not_found",
      ],
    }),
    route.post("pingEndpoint", "/v1/me/webhook-endpoints/:id/ping", {
      roles: rolesFor.integrating,
      summary: "Send a test delivery, even to a disabled endpoint",
      params: idParams,
      success: DeliveryId.pipe(HttpApiSchema.status(202)),
      errors: [
        "validation_failed",
        "session_required",
        "origin_not_allowed",
        "permission_denied",
        "resource_not_found",
      ],
    }),
    route.post("testEndpoint", "/v1/me/webhook-endpoints/:id/test", {
      roles: rolesFor.integrating,
      summary: "Send an example of an event type, even to a disabled endpoint",
      params: idParams,
      payload: Schema.Struct({
        type: Schema.String.annotateKey({
          description: "Any type of `GET /v1/event-types`, subscribed to or not.",
        }),
      }).annotate({ identifier: "TestEvent", examples: [{ type: paidEvent.type }] }),
      success: DeliveryId.pipe(HttpApiSchema.status(202)),
      errors: [...body, "session_required", "origin_not_allowed", "permission_denied", "resource_not_found"],
    }),
    route.post("recoverEndpoint", "/v1/me/webhook-endpoints/:id/recover", {
      roles: rolesFor.integrating,
      summary: "Send again everything that failed in a period, and what was missed",
      stepUp: "webhook",
      params: idParams,
      payload: Schema.Struct({
        since: DateTimeText.annotateKey({ description: "Only what has failed and was tried then or later." }),
        until: Schema.optionalKey(DateTimeText).annotateKey({
          description: "Only what was tried then or earlier; now by default.",
        }),
        include_missed: Schema.optionalKey(Schema.Boolean).annotateKey({
          description:
            "Also what it subscribes to and missed then, because it was disabled when it happened; false by default.",
        }),
      }).annotate({
        identifier: "Recover",
        examples: [{ since: "2026-11-21T00:00:00Z", include_missed: true }],
      }),
      success: Schema.Struct({
        queued: Schema.Int.annotateKey({ description: "Deliveries that are sent again.", examples: [3] }),
        missed: Schema.optionalKey(Schema.Int).annotateKey({
          description: "Missed events that are sent now; only with `include_missed`.",
          examples: [12],
        }),
      }).pipe(HttpApiSchema.status(202)),
      errors: [...body, ...change, "resource_not_found", "invalid_state"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "Where the events of a mode are delivered.")

const PostbackSecret = Schema.Struct({
  prefix: textOrNull.annotateKey({ description: "How the secret begins; null while there is none." }),
  rotated_at: timestampOrNull.annotateKey({ description: "When it was made; null while there is none." }),
  previous_valid_until: timestampOrNull.annotateKey({
    description: "Always null: a rotation ends the previous secret at once.",
  }),
}).annotate({
  identifier: "PostbackSecret",
  examples: [{ prefix: "whsec_Exampl", rotated_at: "2026-11-21T12:00:00.000Z", previous_valid_until: null }],
})

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
  url: Schema.String.annotateKey({ description: "Where events are delivered." }),
  headers: Schema.Record(Schema.String, Schema.String).annotateKey({
    description: "Sent with every event; their values are masked.",
  }),
  created_at: timestamp.annotateKey({ description: "When it was created." }),
}).annotate({
  identifier: "Tracker",
  examples: [
    {
      url: "https://tracker.example/orders",
      headers: { "X-Api-Token": "***" },
      created_at: "2026-11-21T12:00:00.000Z",
    },
  ],
})

/** The seller's postback secret, and the tracker of a mode. */
export const destinationsGroup = HttpApiGroup.make("destinations")
  .add(
    route.get("getPostbackSecret", "/v1/me/postback-secret", {
      roles: rolesFor.reading,
      summary: "Facts about the postback secret, but not the secret",
      success: PostbackSecret,
      errors: ["session_required", "permission_denied"],
    }),
    route.post("rotatePostbackSecret", "/v1/me/postback-secret/rotate", {
      roles: rolesFor.integrating,
      summary: "Replace the postback secret; the old one ends immediately",
      stepUp: "webhook",
      success: Schema.Struct({ secret: NewSecret }),
      errors: [...change],
    }),
    route.get("getTracker", "/v1/me/tracker", {
      roles: rolesFor.reading,
      summary: "The mode's tracker; its header values are masked",
      success: Tracker,
      errors: ["validation_failed", "session_required", "permission_denied", "resource_not_found"],
    }),
    route.put("putTracker", "/v1/me/tracker", {
      roles: rolesFor.integrating,
      summary: "Send the mode's transaction.* events to a third party as well",
      stepUp: "webhook",
      payload: Schema.Struct({
        url: Url.annotateKey(url),
        headers: Schema.optionalKey(TrackerHeaders).annotateKey({
          description: "Sent with every event; answers mask their values.",
        }),
      }).annotate({
        identifier: "PutTracker",
        examples: [{ url: "https://tracker.example/orders", headers: { "X-Api-Token": "their-token" } }],
      }),
      success: Tracker,
      errors: [...body, "invalid_url", ...change, "seller_not_allowed"],
    }),
    route.delete("deleteTracker", "/v1/me/tracker", {
      roles: rolesFor.integrating,
      summary: "Remove the mode's tracker",
      stepUp: "webhook",
      success: HttpApiSchema.NoContent,
      errors: ["validation_failed", ...change, "resource_not_found"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "Destinations of a seller besides its webhook endpoints.")
