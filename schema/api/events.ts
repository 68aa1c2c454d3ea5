import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { modes } from "../ids.ts"
import { Event } from "../resources/event.ts"
import { errorsOf, idParams, pageOf, pageQuery, windowQuery } from "./common.ts"
import { ApiKeyAuth, FeedAuth } from "./security.ts"

const EventTypeInfo = Schema.Struct({
  type: Schema.String,
  resource_type: Schema.String,
  internal: Schema.Boolean,
  subscribable: Schema.Boolean,
  description: Schema.String,
  schema: Schema.Record(Schema.String, Schema.Unknown),
  example: Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "As deliveries carry it." }),
  feed_example: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "As the list, the single event and the stream show it.",
  }),
}).annotate({ identifier: "EventType" })

/** What a list of events may be asked for (spec 4.2). */
export const eventsQuery = {
  ...pageQuery,
  ...windowQuery,
  types: Schema.optionalKey(Schema.String),
  resource_type: Schema.optionalKey(Schema.Literals(["transaction", "withdrawal"])),
  resource_id: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1))),
}

/** The event feed (spec 4.2). */
export const eventsGroup = HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("listEvents", "/v1/events", {
      disableCodecs: true,
      query: eventsQuery,
      success: pageOf(Event),
      error: errorsOf("validation_failed", "invalid_cursor", "invalid_api_key"),
    }).annotate(OpenApi.Summary, "Events, newest first"),
    HttpApiEndpoint.get("getEvent", "/v1/events/:id", {
      disableCodecs: true,
      params: idParams,
      success: Event,
      error: errorsOf("invalid_api_key", "resource_not_found"),
    }).annotate(OpenApi.Summary, "One event"),
    HttpApiEndpoint.get("listEventTypes", "/v1/event-types", {
      disableCodecs: true,
      success: Schema.Struct({ data: Schema.Array(EventTypeInfo) }),
      error: errorsOf("invalid_api_key"),
    }).annotate(OpenApi.Summary, "The catalog of event types, each with a JSON Schema and an example"),
  )
  .middleware(ApiKeyAuth)
  .annotate(OpenApi.Description, "What happened, as a list, one by one, or live.")

/** The live feed (spec 4.2): for a key, or for a seller's session with the mode in the query. */
export const streamGroup = HttpApiGroup.make("stream")
  .add(
    HttpApiEndpoint.get("streamEvents", "/events", {
      disableCodecs: true,
      headers: { "last-event-id": Schema.optionalKey(Schema.String) },
      query: {
        mode: Schema.optionalKey(Schema.Literals(modes)),
        types: Schema.optionalKey(Schema.String),
        last_event_id: Schema.optionalKey(Schema.String),
      },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })),
      error: errorsOf(
        "validation_failed",
        "invalid_api_key",
        "session_required",
        "permission_denied",
        "rate_limited",
      ),
    }).annotate(OpenApi.Summary, "Follow events as Server-Sent Events, with Last-Event-ID replay"),
  )
  .middleware(FeedAuth)
  .annotate(OpenApi.Description, "What happens, as it happens.")
