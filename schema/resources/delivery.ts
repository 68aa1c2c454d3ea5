import { Schema } from "effect"

/** Kinds of destinations. */
export const deliveryTargets = ["endpoint", "postback", "tracker"] as const
export type DeliveryTarget = (typeof deliveryTargets)[number]

/** How an attempt ended. */
export const attemptStatuses = ["success", "failed", "dead"] as const
export type AttemptStatus = (typeof attemptStatuses)[number]

const fields = {
  id: Schema.String,
  event_id: Schema.String,
  event_type: Schema.String,
  endpoint_id: Schema.NullOr(Schema.String),
  target: Schema.Literals(deliveryTargets).annotateKey({ description: "The kind of destination." }),
  attempt: Schema.Int.annotateKey({ description: "Counts from 1. Every attempt is a row of its own." }),
  status: Schema.Literals(attemptStatuses).annotateKey({ description: "`dead`: the last attempt failed." }),
  status_code: Schema.NullOr(Schema.Int),
  response_ms: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  created_at: Schema.String.annotate({ format: "date-time" }),
  target_host: Schema.String,
}

/** One attempt (`docs/contract/deliveries.md#fields`). */
export const Delivery = Schema.Struct(fields).annotate({ identifier: "Delivery" })
export type Delivery = typeof Delivery.Type

/** The detail view of an attempt. */
export const DeliveryDetail = Schema.Struct({
  ...fields,
  request_headers: Schema.Record(Schema.String, Schema.String),
  response_body_excerpt: Schema.NullOr(Schema.String).annotateKey({
    description: "The first 1 KiB of the receiver's response.",
  }),
  payload: Schema.Record(Schema.String, Schema.Unknown),
}).annotate({ identifier: "DeliveryDetail" })
export type DeliveryDetail = typeof DeliveryDetail.Type
