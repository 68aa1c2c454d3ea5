import { Schema } from "effect"
import { modes } from "../ids.ts"

/** The event envelope of the feed (`docs/contract/events.md#envelope`). */
export const Event = Schema.Struct({
  id: Schema.String.annotateKey({
    description: "The same in every delivery of the event: use it to recognise repeats.",
  }),
  object: Schema.Literal("event"),
  type: Schema.String,
  mode: Schema.Literals(modes),
  created_at: Schema.String.annotate({ format: "date-time" }),
  seq: Schema.Int.annotateKey({ description: "Contiguous from 1 per seller and mode." }),
  internal: Schema.Boolean.annotateKey({ description: "In the feed only; never delivered." }),
  data: Schema.Struct({
    object: Schema.Record(Schema.String, Schema.Unknown).annotateKey({
      description: "The resource as it was at that moment.",
    }),
  }),
}).annotate({ identifier: "Event" })
export type Event = typeof Event.Type
