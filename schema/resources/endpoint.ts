import { Schema } from "effect"
import { limits } from "../limits.ts"

/** Why an endpoint is disabled (`docs/contract/endpoints.md#disabling`). */
export const disabledReasons = ["auto", "manual"] as const

const timestamp = Schema.String.annotate({ format: "date-time" })

/** A webhook endpoint. `secret` appears only in the answer to its creation. */
export const Endpoint = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  events: Schema.Array(Schema.String),
  enabled: Schema.Boolean,
  secret_prefix: Schema.String,
  description: Schema.NullOr(
    Schema.String.check(Schema.isMaxCodePoints(limits.endpointDescriptionLengthMax)),
  ),
  created_at: timestamp,
  disabled_reason: Schema.NullOr(Schema.Literals(disabledReasons)),
  auto_disabled_at: Schema.NullOr(timestamp),
  secret: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "Endpoint" })
export type Endpoint = typeof Endpoint.Type
