import { Schema } from "effect"
import { exampleDelivery } from "../eventExamples.ts"
import { paidEvent } from "../events.ts"
import { textOrNull, timestamp } from "../fields.ts"
import { attemptStatuses, deliveryTargets } from "../names.ts"

export { type AttemptStatus, attemptStatuses, type DeliveryTarget } from "../names.ts"

const fields = {
  id: Schema.String.annotateKey({ description: "The attempt's id." }),
  event_id: Schema.String.annotateKey({ description: "The event that was sent." }),
  event_type: Schema.String.annotateKey({ description: "The type of that event." }),
  test_event: Schema.optionalKey(Schema.Literal(true)).annotateKey({
    description: "Only on test events: an example was sent, and nothing happened.",
  }),
  endpoint_id: textOrNull.annotateKey({
    description: "The webhook endpoint; null for postbacks and trackers.",
  }),
  target: Schema.Literals(deliveryTargets).annotateKey({ description: "The kind of destination." }),
  attempt: Schema.Int.annotateKey({ description: "Counts from 1. Every attempt is a row of its own." }),
  status: Schema.Literals(attemptStatuses).annotateKey({ description: "`dead`: the last attempt failed." }),
  status_code: Schema.NullOr(Schema.Int).annotateKey({
    description: "What the receiver answered; null if it did not.",
  }),
  response_ms: Schema.NullOr(Schema.Int).annotateKey({
    description: "Milliseconds until it answered; null if it did not.",
  }),
  error: textOrNull.annotateKey({
    description:
      "Why it failed: `http_<status>`, `timeout`, `connection_error`, `response_not_http` and the like; null otherwise.",
  }),
  created_at: timestamp.annotateKey({ description: "When the attempt began." }),
  target_host: Schema.String.annotateKey({ description: "The host it was sent to." }),
}

/** An attempt that failed and is tried again. */
export const exampleAttempt = {
  id: "whd_01KA0000000700000000000000",
  event_id: "evt_01KA0000000700000000000000",
  event_type: "transaction.paid",
  endpoint_id: "we_01KA0000000700000000000000",
  target: "endpoint",
  attempt: 1,
  status: "failed",
  status_code: 500,
  response_ms: 42,
  error: "http_500",
  created_at: "2026-11-21T12:04:00.000Z",
  target_host: "example.com",
} as const

/** One attempt (`docs/contract/deliveries.md#fields`). */
export const Delivery = Schema.Struct(fields).annotate({ identifier: "Delivery", examples: [exampleAttempt] })
export type Delivery = typeof Delivery.Type

const examplePayload = exampleDelivery(paidEvent)

const exampleHeaders = {
  "Content-Type": "application/json",
  "User-Agent": "Service-Webhooks/1.0",
  "X-Event-Id": exampleAttempt.event_id,
  "X-Event-Type": exampleAttempt.event_type,
  "X-Delivery-Id": exampleAttempt.id,
  "X-Attempt": "1",
  "Idempotency-Key": exampleAttempt.event_id,
  "webhook-id": exampleAttempt.event_id,
  "webhook-timestamp": "1795262640",
  "X-Signature": `t=1795262640,v1=${"5257a869".repeat(8)}`,
  "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
}

const exampleCurl = [
  "curl --http1.1 --globoff 'https://example.com/webhooks'",
  ...Object.entries(exampleHeaders).map(([name, value]) => `--header '${name}: ${value}'`),
  `--data-raw '${JSON.stringify(examplePayload)}'`,
].join(" \\\n  ")

/** The detail view of an attempt. */
export const DeliveryDetail = Schema.Struct({
  ...fields,
  request_headers: Schema.Record(Schema.String, Schema.String).annotateKey({
    description: "The headers as sent, signatures included; a tracker's own values are hidden.",
  }),
  response_body_excerpt: textOrNull.annotateKey({
    description: "The first 1 KiB of the receiver's response.",
  }),
  signed_content: textOrNull.annotateKey({
    description:
      "The exact text that X-Signature signs, `<t>.<raw body>`; null if the attempt was unsigned or not made, or its event is no longer kept.",
  }),
  curl: textOrNull.annotateKey({
    description:
      "A command for a POSIX shell that sends the same bytes and headers again; null if the attempt was not made, or its event is no longer kept.",
  }),
  payload: Schema.Record(Schema.String, Schema.Unknown).annotateKey({
    description: "The event as sent; empty once it is no longer kept.",
  }),
}).annotate({
  identifier: "DeliveryDetail",
  examples: [
    {
      ...exampleAttempt,
      request_headers: exampleHeaders,
      response_body_excerpt: "Internal Server Error",
      signed_content: `1795262640.${JSON.stringify(examplePayload)}`,
      curl: exampleCurl,
      payload: examplePayload,
    },
  ],
})
export type DeliveryDetail = typeof DeliveryDetail.Type
