import { exampleDelivery } from "../eventExamples.ts"
import { type CatalogEntry, eventCatalog } from "../events.ts"
import { exampleTraceId } from "../fields.ts"
import { eventSchemaName } from "../resources/catalogEvent.ts"
import type { JsonSchema, Operation, Parameter } from "./openapiTypes.ts"

const header = (name: string, description: string, example: string, required = true): Parameter => ({
  name,
  in: "header",
  required,
  description,
  schema: { type: "string", examples: [example] },
})

const integer = (parameter: Parameter, example: number): Parameter => ({
  ...parameter,
  schema: { type: "integer", examples: [example] },
})

const event = "evt_01KA0000000700000000000000"

/** The headers of deliveries (`docs/contract/deliveries.md#request`), as components. */
export const webhookParameters: Readonly<Record<string, Parameter>> = {
  Signature: header(
    "X-Signature",
    "`t=<unix>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>` under the whole secret; two `v1` during a rotation. A tracker without a postback secret gets none.",
    "t=1795262640,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
    false,
  ),
  EventId: header("X-Event-Id", "The event, the same in every attempt: use it to recognise repeats.", event),
  EventType: header("X-Event-Type", "The event's type.", "transaction.paid"),
  DeliveryId: header("X-Delivery-Id", "The attempt; different in each.", "whd_01KA0000000700000000000000"),
  Attempt: integer(header("X-Attempt", "Counts the attempts from 1.", ""), 1),
  IdempotencyKey: header("Idempotency-Key", "The event, once more.", event),
  WebhookId: header("webhook-id", "The event, for Standard Webhooks.", event, false),
  WebhookTimestamp: integer(
    header("webhook-timestamp", "When the attempt was signed, in Unix seconds.", "", false),
    1795262640,
  ),
  WebhookSignature: header(
    "webhook-signature",
    "`v1,<base64>`: HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>` under the secret's bytes; two during a rotation.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    false,
  ),
  Traceparent: header(
    "traceparent",
    "W3C Trace Context: the event's `trace_id`, and a parent id of the attempt's own. Events without a trace have none.",
    `00-${exampleTraceId}-00f067aa0ba902b7-01`,
    false,
  ),
}

const parameterRefs: ReadonlyArray<JsonSchema> = Object.keys(webhookParameters).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}))

const webhookOf = (type: CatalogEntry): Operation => ({
  operationId: `receive${eventSchemaName(type.type)}`,
  summary: type.description,
  description:
    "Sent to the destinations that want it. Verify the signature of the raw body, answer within 10 s, and ignore repeats by `X-Event-Id`.",
  tags: ["merchant"],
  security: [],
  parameters: parameterRefs as unknown as ReadonlyArray<Parameter>,
  requestBody: {
    required: true,
    content: {
      "application/json": {
        schema: { $ref: `#/components/schemas/${eventSchemaName(type.type)}` },
        example: exampleDelivery(type),
      },
    },
  },
  responses: {
    "200": { description: "Received. Any 2xx counts; the body is kept, but not read." },
    "400": { description: "Not received. Whatever is no 2xx is tried again, six times in all." },
  },
})

/** What the service posts to receivers, by event type; internal events are never delivered. */
export const webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>> = Object.fromEntries(
  eventCatalog.filter(({ internal }) => !internal).map((type) => [type.type, { post: webhookOf(type) }]),
)
