import { Schema } from "effect"
import { timestamp } from "../fields.ts"

/** A request in a seller's log (`docs/contract/request-log.md#fields`). */
export const LoggedRequest = Schema.Struct({
  id: Schema.String.annotateKey({
    description: "The `X-Request-Id` of its answer: the caller's own where it sent one.",
  }),
  at: timestamp.annotateKey({ description: "When it was answered." }),
  method: Schema.String.annotateKey({ description: "The method of its route." }),
  route: Schema.String.annotateKey({
    description: "The path of its route, with `{name}` for what varies: no ids, no query.",
  }),
  status: Schema.Int.annotateKey({ description: "The status of the answer." }),
  ms: Schema.Int.annotateKey({
    description: "Milliseconds from its head to its answer, or to the head of a stream.",
  }),
  key_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The API key that asked, which may be revoked; null if a session asked.",
  }),
  ip_address: Schema.NullOr(Schema.String).annotateKey({
    description: "The caller's address; null if it is unknown.",
    examples: ["203.0.113.7"],
  }),
  idempotency_key: Schema.NullOr(Schema.String).annotateKey({
    description: "Its `Idempotency-Key`; null without one.",
    examples: ["order-4711"],
  }),
  error_code: Schema.NullOr(Schema.String).annotateKey({
    description: "`error.code` of the answer; null below 400.",
  }),
  error_param: Schema.NullOr(Schema.String).annotateKey({ description: "`error.param`; null without one." }),
  error_message: Schema.NullOr(Schema.String).annotateKey({
    description: "`error.message`, at most 300 characters of it; null below 400.",
  }),
}).annotate({
  identifier: "LoggedRequest",
  examples: [
    {
      id: "req_01KA0000000000000000000000",
      at: "2026-11-21T12:00:00.000Z",
      method: "POST",
      route: "/v1/transactions/{id}/refunds",
      status: 400,
      ms: 9,
      key_id: "key_01KA0000000700000000000000",
      ip_address: "203.0.113.7",
      idempotency_key: "order-4711",
      error_code: "validation_failed",
      error_param: "amount",
      error_message: "amount must be an integer.",
    },
  ],
})
export type LoggedRequest = typeof LoggedRequest.Type
