import { Schema } from "effect"

/** A moment as answers show it: ISO 8601 in UTC, with milliseconds. */
export const timestamp = Schema.String.annotate({
  format: "date-time",
  examples: ["2026-11-21T12:00:00.000Z"],
})

/** A moment, or null while it has not come. */
export const timestampOrNull = Schema.NullOr(timestamp)

/** A text, or null where there is none. */
export const textOrNull = Schema.NullOr(Schema.String)

/** The trace id of examples. */
export const exampleTraceId = "4bf92f3577b34da6a3ce929d0e0e4736"

/** `docs/contract/README.md#tracing` */
export const traceId = Schema.optionalKey(
  Schema.String.check(Schema.isPattern(/^[0-9a-f]{32}$/)),
).annotateKey({
  description:
    "The trace it belongs to: of the `traceparent` of the request that created it, or made. Absent in what was created before there were traces.",
  examples: [exampleTraceId],
})
