import { Schema } from "effect"
import { timestamp, timestampOrNull } from "../fields.ts"
import { limits } from "../limits.ts"

/** Why an endpoint is disabled (`docs/contract/endpoints.md#disabling`). */
export const disabledReasons = ["auto", "manual"] as const

/** Whether deliveries keep the order of the events of a resource (`docs/contract/deliveries.md#ordering`). */
export const orderings = ["none", "resource"] as const
export type Ordering = (typeof orderings)[number]

/** An endpoint as its routes show it, after its creation. */
export const exampleEndpoint = {
  id: "we_01KA0000000700000000000000",
  url: "https://example.com/hook",
  events: ["transaction.paid"],
  enabled: true,
  secret_prefix: "whsec_",
  description: null,
  ordering: "none",
  created_at: "2026-11-01T12:00:00.000Z",
  disabled_reason: null,
  auto_disabled_at: null,
} as const

/** A webhook endpoint. */
export const Endpoint = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The endpoint's id." }),
  url: Schema.String.annotateKey({
    description: "Where events are delivered; without the password of a Redis Stream.",
  }),
  events: Schema.Array(Schema.String).annotateKey({
    description: 'The event types it receives; `["*"]`: all that can be subscribed to.',
  }),
  enabled: Schema.Boolean.annotateKey({ description: "Whether events are delivered to it." }),
  secret_prefix: Schema.String.annotateKey({ description: "How its secret begins." }),
  description: Schema.NullOr(
    Schema.String.check(Schema.isMaxCodePoints(limits.endpointDescriptionLengthMax)),
  ).annotateKey({ description: "For yourself." }),
  ordering: Schema.Literals(orderings).annotateKey({
    description:
      "`resource`: a later event of a resource waits until the delivery of the one before it has ended; `none`: deliveries are not ordered.",
  }),
  created_at: timestamp.annotateKey({ description: "When it was created." }),
  disabled_reason: Schema.NullOr(Schema.Literals(disabledReasons)).annotateKey({
    description: "`auto`: its deliveries kept failing; `manual`: you disabled it; null while it is enabled.",
  }),
  auto_disabled_at: timestampOrNull.annotateKey({
    description: "When its deliveries had failed too often; null if they have not.",
  }),
}).annotate({ identifier: "Endpoint", examples: [exampleEndpoint] })
export type Endpoint = typeof Endpoint.Type

/** An event that waits for its turn at an ordered endpoint (`docs/contract/deliveries.md#ordering`). */
export const WaitingDelivery = Schema.Struct({
  event_id: Schema.String.annotateKey({ description: "The event that will be delivered." }),
  event_type: Schema.String.annotateKey({ description: "Its type; `unknown` if it is no longer kept." }),
  resource_id: Schema.String.annotateKey({ description: "Whose turn it waits for." }),
  status: Schema.Literal("pending").annotateKey({ description: "It has no attempt due." }),
  waits_for: Schema.String.annotateKey({
    description: "The event of the same resource whose delivery has not ended.",
  }),
  created_at: timestamp.annotateKey({ description: "When the event happened." }),
}).annotate({
  identifier: "WaitingDelivery",
  examples: [
    {
      event_id: "evt_01KA000000070000000000000B",
      event_type: "transaction.refunded",
      resource_id: "txn_01KA0000000700000000000000",
      status: "pending",
      waits_for: "evt_01KA000000070000000000000A",
      created_at: "2026-11-01T12:00:00.000Z",
    },
  ],
})
export type WaitingDelivery = typeof WaitingDelivery.Type

/** The form of secrets, in examples. */
export const exampleSecret = "whsec_ExampleExampleExampleExampleExampleExampleA"

/** A new webhook endpoint with its secret. */
export const NewEndpoint = Schema.Struct({
  ...Endpoint.fields,
  secret: Schema.String.annotateKey({
    description: "What its deliveries are signed with; shown only this once.",
  }),
}).annotate({ identifier: "NewEndpoint", examples: [{ ...exampleEndpoint, secret: exampleSecret }] })
export type NewEndpoint = typeof NewEndpoint.Type
