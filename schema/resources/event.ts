import { Schema } from "effect"
import { timestamp, traceId } from "../fields.ts"
import { modes } from "../ids.ts"

/** The event envelope of the feed (`docs/contract/events.md#envelope`), whatever its type. */
export const Event = Schema.Struct({
  id: Schema.String.annotateKey({
    description: "The same in every delivery of the event: use it to recognise repeats.",
  }),
  object: Schema.Literal("event").annotateKey({ description: "The kind of resource." }),
  type: Schema.String.annotateKey({ description: "What happened." }),
  mode: Schema.Literals(modes).annotateKey({ description: "The mode it happened in." }),
  created_at: timestamp.annotateKey({ description: "When it was recorded." }),
  seq: Schema.Int.annotateKey({ description: "Contiguous from 1 per seller and mode." }),
  trace_id: traceId.annotateKey({
    description: "The resource's `trace_id`; absent where the resource has none.",
  }),
  internal: Schema.Boolean.annotateKey({ description: "In the feed only; never delivered." }),
  data: Schema.Struct({
    object: Schema.Record(Schema.String, Schema.Unknown).annotateKey({
      description: "The resource as it was at that moment.",
    }),
  }).annotateKey({ description: "What it happened to." }),
})
export type Event = typeof Event.Type
