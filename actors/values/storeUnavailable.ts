import { Schema } from "effect"

/**
 * The store did not answer: it is away, too slow, or the connection broke. A write may or may not have been applied
 * (docs/decisions/0046-unknown-is-not-failed.md); every write of the ports is guarded, so that asking again is safe.
 */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  operation: Schema.String,
  reason: Schema.String,
}) {}
