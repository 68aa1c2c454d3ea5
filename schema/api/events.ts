import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { modes } from "../ids.ts"
import { rolesFor } from "../memberRoles.ts"
import { CatalogEvent } from "../resources/catalogEvent.ts"
import { idParams, listOf, pageOf, pageQuery, typesFilter, windowQuery } from "./common.ts"
import { route } from "./route.ts"
import { ApiKeyAuth, FeedAuth } from "./security.ts"

const EventTypeInfo = Schema.Struct({
  type: Schema.String.annotateKey({ description: "The event type." }),
  resource_type: Schema.String.annotateKey({ description: "The kind of resource in `data.object`." }),
  internal: Schema.Boolean.annotateKey({ description: "Whether it appears in the feed only." }),
  subscribable: Schema.Boolean.annotateKey({ description: "Whether endpoints can subscribe to it." }),
  description: Schema.String.annotateKey({ description: "When it is emitted." }),
  schema: Schema.Record(Schema.String, Schema.Unknown).annotateKey({
    description: "A JSON Schema (draft 2020-12) of both forms of the event.",
  }),
  example: Schema.Record(Schema.String, Schema.Unknown).annotateKey({
    description: "As deliveries carry it.",
  }),
  feed_example: Schema.Record(Schema.String, Schema.Unknown).annotateKey({
    description: "As the list, the single event and the stream show it.",
  }),
}).annotate({ identifier: "EventType" })

/** The catalog of event types. Its example is empty, because linters take what has a `type` and an `example` for a schema. */
export const EventCatalog = listOf(EventTypeInfo).annotate({ examples: [{ data: [] }] })

/** Filters of the list of events. */
export const eventsQuery = {
  ...pageQuery,
  ...windowQuery,
  types: typesFilter,
  resource_type: Schema.optionalKey(
    Schema.Literals(["transaction", "withdrawal", "refund", "exception"]),
  ).annotateKey({
    description: "Only events of this kind of resource.",
  }),
  resource_id: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1))).annotateKey({
    description: "Only events of this resource.",
  }),
}

/** The event feed. */
export const eventsGroup = HttpApiGroup.make("events")
  .add(
    route.get("listEvents", "/v1/events", {
      scope: "events:read",
      summary: "Events, newest first",
      query: eventsQuery,
      success: pageOf(CatalogEvent),
      errors: ["validation_failed", "invalid_cursor", "invalid_api_key"],
    }),
    route.get("getEvent", "/v1/events/:id", {
      scope: "events:read",
      summary: "One event",
      params: idParams,
      success: CatalogEvent,
      errors: ["invalid_api_key", "resource_not_found"],
    }),
    route.get("listEventTypes", "/v1/event-types", {
      scope: "events:read",
      summary: "The catalog of event types, each with a JSON Schema and an example",
      success: EventCatalog,
      errors: ["invalid_api_key"],
    }),
  )
  .middleware(ApiKeyAuth)
  .annotate(OpenApi.Description, "What happened: as a list, one by one, or live.")

const Stream = Schema.String.annotate({
  description: [
    "`text/event-stream`. Frames are `id: evt_…`, `event: <type>` and `data: <event>`, followed by a blank line.",
    "Control frames carry no id: `ready` when the stream opens, `replay_gap` if the events after `Last-Event-ID` are no",
    "longer kept, `reconnect` when this connection is about to end and the client should open another. `: ping` every 15 s.",
    "A process that cannot serve the stream right now answers 200 with `reconnect` and closes.",
  ].join(" "),
  examples: [
    'retry: 3000\n\nevent: ready\ndata: {"mode":"test"}\n\nid: evt_01KAH2Q7C8000000000000000\nevent: transaction.paid\ndata: {"id":"evt_01KAH2Q7C8000000000000000","object":"event","type":"transaction.paid",…}\n\n',
  ],
}).pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))

/** The live feed: for an API key, or for a seller's session with the mode in the query. */
export const streamGroup = HttpApiGroup.make("stream")
  .add(
    route.get("streamEvents", "/events", {
      roles: rolesFor.reading,
      scope: "events:read",
      summary: "Follow events as Server-Sent Events, with Last-Event-ID replay",
      headers: {
        "last-event-id": Schema.optionalKey(Schema.String).annotateKey({
          description: "The last event you have seen; the stream continues after it.",
        }),
      },
      query: {
        mode: Schema.optionalKey(Schema.Literals(modes)).annotateKey({
          description:
            "The mode to follow; `live` by default. With an API key it must be the key's own mode.",
        }),
        types: typesFilter,
        last_event_id: Schema.optionalKey(Schema.String).annotateKey({
          description:
            "Like `Last-Event-ID`, for clients that cannot set the header; the header takes precedence.",
        }),
      },
      success: Stream,
      errors: [
        "validation_failed",
        "invalid_api_key",
        "session_required",
        "permission_denied",
        "rate_limited",
      ],
    }),
  )
  .middleware(FeedAuth)
  .annotate(OpenApi.Description, "Events as they happen.")
