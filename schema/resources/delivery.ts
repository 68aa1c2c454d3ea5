import { Schema } from "effect"

/** spec 2: what a delivery is sent to. */
export const deliveryTargets = ["endpoint", "postback", "tracker"] as const
export type DeliveryTarget = (typeof deliveryTargets)[number]

/** spec 2: how an attempt ended. */
export const attemptStatuses = ["success", "failed", "dead"] as const
export type AttemptStatus = (typeof attemptStatuses)[number]

const fields = {
  id: Schema.String,
  event_id: Schema.String,
  event_type: Schema.String,
  endpoint_id: Schema.NullOr(Schema.String),
  target: Schema.Literals(deliveryTargets),
  attempt: Schema.Int,
  status: Schema.Literals(attemptStatuses),
  status_code: Schema.NullOr(Schema.Int),
  response_ms: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  created_at: Schema.String.annotate({ format: "date-time" }),
  target_host: Schema.String,
}

/** One row per attempt (spec 2). */
export const Delivery = Schema.Struct(fields).annotate({ identifier: "Delivery" })
export type Delivery = typeof Delivery.Type

/** The detail view of an attempt (spec 2). */
export const DeliveryDetail = Schema.Struct({
  ...fields,
  request_headers: Schema.Record(Schema.String, Schema.String),
  response_body_excerpt: Schema.NullOr(Schema.String),
  payload: Schema.Record(Schema.String, Schema.Unknown),
}).annotate({ identifier: "DeliveryDetail" })
export type DeliveryDetail = typeof DeliveryDetail.Type
