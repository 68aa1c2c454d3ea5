import { Schema } from "effect"
import { timestamp } from "../fields.ts"

/** A request that was refused to a seller (`docs/contract/request-log.md#request-errors`). */
export const RequestError = Schema.Struct({
  at: timestamp.annotateKey({ description: "When it was answered." }),
  request_id: Schema.String.annotateKey({ description: "The `X-Request-Id` of the answer." }),
  method: Schema.String.annotateKey({ description: "The method of its route." }),
  route: Schema.String.annotateKey({ description: "The path of its route, with `:name` for what varies." }),
  status: Schema.Int.annotateKey({ description: "The status of the answer, from 400 on." }),
  code: Schema.String.annotateKey({ description: "`error.code` of the answer." }),
  param: Schema.NullOr(Schema.String).annotateKey({ description: "`error.param`; null without one." }),
  message: Schema.String.annotateKey({ description: "`error.message`, at most 300 characters of it." }),
  api_key_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The API key that asked, which may be revoked; null if a session asked.",
  }),
}).annotate({
  identifier: "RequestError",
  examples: [
    {
      at: "2026-11-21T12:00:00.000Z",
      request_id: "req_01KA0000000000000000000000",
      method: "POST",
      route: "/v1/transactions",
      status: 400,
      code: "validation_failed",
      param: "amount",
      message: "amount is required.",
      api_key_id: "key_01KA0000000700000000000000",
    },
  ],
})
export type RequestError = typeof RequestError.Type
