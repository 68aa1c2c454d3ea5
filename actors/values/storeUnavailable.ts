import { Schema } from "effect"

/**
 * The store did not answer: it is away, too slow, or the connection broke. A write may or may not have been applied
 * (docs/architecture.md#rule-7); every write of the ports is guarded, so that asking again is safe.
 */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  operation: Schema.String,
  reason: Schema.String,
  /** The data moves to another server: nothing was written, and it is there again within seconds (docs/promises.md#slots-that-move). */
  isMoving: Schema.optionalKey(Schema.Boolean),
}) {}
