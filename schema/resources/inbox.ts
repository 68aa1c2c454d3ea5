import { Schema } from "effect"

const timestamp = Schema.String.annotate({ format: "date-time" })
const textOrNull = Schema.NullOr(Schema.String)
const timestampOrNull = Schema.NullOr(timestamp)

const fields = {
  id: Schema.String,
  acquirer: Schema.Struct({ id: Schema.String, slug: Schema.String }),
  provider_event_id: Schema.String,
  event_type: textOrNull,
  signature_valid: Schema.Boolean,
  received_at: timestamp,
  processed_at: timestampOrNull,
  attempts: Schema.Int,
  error: textOrNull,
  transaction_id: textOrNull,
  withdrawal_id: textOrNull,
  end_to_end_id: textOrNull,
  reprocessed_at: timestampOrNull,
}

/** A notice from an acquirer (`docs/contract/notices.md#records`). */
export const InboxRecord = Schema.Struct(fields).annotate({ identifier: "InboxRecord" })
export type InboxRecord = typeof InboxRecord.Type

/** A notice with its body and headers. */
export const InboxRecordDetail = Schema.Struct({
  ...fields,
  raw_body: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String),
}).annotate({ identifier: "InboxRecordDetail" })
export type InboxRecordDetail = typeof InboxRecordDetail.Type

/** The answer to the acquirer. */
export const Receipt = Schema.Struct({
  received: Schema.Boolean,
  duplicate: Schema.optionalKey(Schema.Boolean),
}).annotate({ identifier: "Receipt" })
