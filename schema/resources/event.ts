import { Schema } from "effect"
import { modes } from "../ids.ts"

/** The event envelope of the feed endpoints (spec 2; `seq` and `internal` by decisions 5). */
export const Event = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("event"),
  type: Schema.String,
  mode: Schema.Literals(modes),
  created_at: Schema.String.annotate({ format: "date-time" }),
  seq: Schema.Int.annotate({ description: "Contiguous from 1 per seller and mode." }),
  internal: Schema.Boolean,
  data: Schema.Struct({ object: Schema.Record(Schema.String, Schema.Unknown) }),
}).annotate({ identifier: "Event" })
export type Event = typeof Event.Type
