import { Schema } from "effect"
import { textOrNull, timestamp, timestampOrNull } from "../fields.ts"

const fields = {
  id: Schema.String.annotateKey({ description: "The record's id." }),
  acquirer: Schema.Struct({
    id: Schema.String.annotateKey({ description: "The acquirer's id." }),
    slug: Schema.String.annotateKey({ description: "The acquirer's slug, like `api-pix`." }),
  }).annotateKey({ description: "Who sent it." }),
  provider_event_id: Schema.String.annotateKey({
    description: "What repeated notices are recognised by.",
  }),
  event_type: textOrNull.annotateKey({ description: "What it reports; null if that cannot be told." }),
  signature_valid: Schema.Boolean.annotateKey({
    description: "Whether its signature was right; others are never processed.",
  }),
  received_at: timestamp.annotateKey({ description: "When it was received." }),
  processed_at: timestampOrNull.annotateKey({
    description: "When it had been confirmed and applied; null before.",
  }),
  attempts: Schema.Int.annotateKey({ description: "How often that was tried." }),
  error: textOrNull.annotateKey({ description: "Why it is not done, or the exception it reported." }),
  transaction_id: textOrNull.annotateKey({ description: "The charge it is about; null if about none." }),
  withdrawal_id: textOrNull.annotateKey({ description: "The withdrawal it is about; null if about none." }),
  end_to_end_id: textOrNull.annotateKey({ description: "The bank's id of the payment; null without one." }),
  reprocessed_at: timestampOrNull.annotateKey({
    description: "When an operator last had it processed again; null if never.",
  }),
}

const example = {
  id: "inb_01KA0000000700000000000000",
  acquirer: { id: "api-pix", slug: "api-pix" },
  provider_event_id: "E00000000202611211203ABCDEFGHIJK:pix",
  event_type: "pix",
  signature_valid: true,
  received_at: "2026-11-21T12:03:00.000Z",
  processed_at: "2026-11-21T12:03:00.000Z",
  attempts: 1,
  error: null,
  transaction_id: "txn_01KA0000000700000000000000",
  withdrawal_id: null,
  end_to_end_id: "E00000000202611211203ABCDEFGHIJK",
  reprocessed_at: null,
} as const

/** A notice from an acquirer (`docs/contract/notices.md#records`). */
export const InboxRecord = Schema.Struct(fields).annotate({ identifier: "InboxRecord", examples: [example] })
export type InboxRecord = typeof InboxRecord.Type

/** A notice with its body and headers. */
export const InboxRecordDetail = Schema.Struct({
  ...fields,
  raw_body: Schema.String.annotateKey({
    description: "The body as received; empty once the record that holds it was evicted.",
  }),
  headers: Schema.Record(Schema.String, Schema.String).annotateKey({
    description: "The headers as received, without credentials.",
  }),
}).annotate({
  identifier: "InboxRecordDetail",
  examples: [
    {
      ...example,
      raw_body:
        '{"pix":[{"endToEndId":"E00000000202611211203ABCDEFGHIJK","txid":"01KA0000000700000000000000ABCDEF","valor":"129.90"}]}',
      headers: { "content-type": "application/json" },
    },
  ],
})
export type InboxRecordDetail = typeof InboxRecordDetail.Type

/** The answer to the acquirer. */
export const Receipt = Schema.Struct({
  received: Schema.Boolean.annotateKey({ description: "Whether it is recorded." }),
  duplicate: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "Whether all of it was known already; absent if not.",
  }),
}).annotate({ identifier: "Receipt", examples: [{ received: true }] })
