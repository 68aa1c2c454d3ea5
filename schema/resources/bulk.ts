import { Schema } from "effect"
import { errorCodes } from "../errorCodes.ts"
import { textOrNull, timestamp } from "../fields.ts"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { bulkActs, bulkStates } from "../names.ts"
import { lineOf } from "../text.ts"

const rowId = Schema.String.check(Schema.isBetweenCodePoints(1, limits.idLengthMax))

/** Body of POST /v1/me/bulk (`docs/contract/bulk.md#create`). Which fields fit the act is the handler's to check. */
export const CreateBulk = Schema.Struct({
  act: Schema.Literals(bulkActs).annotateKey({
    description:
      "`refund`: refund what is left of each charge. `resend`: send each failed delivery again. `cancel_withdrawal`: cancel each withdrawal that awaits approval.",
  }),
  ids: Schema.optionalKey(
    Schema.Array(rowId).check(Schema.isMinLength(1), Schema.isMaxLength(limits.bulkRowsMax)),
  ).annotateKey({
    description: `1 to ${limits.bulkRowsMax} ids of charges, deliveries or withdrawals. An id that comes twice counts once.`,
  }),
  filter: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)).annotateKey({
    description:
      "Instead of `ids`: the filters of the list of charges (`refund`) or of deliveries (`resend`), as texts, as its query has them.",
  }),
  reason: Schema.optionalKey(Schema.NullOr(lineOf(0, limits.refundReasonLengthMax))).annotateKey({
    description: `Of each refund: at most ${limits.refundReasonLengthMax} characters, for yourself. Other acts have none.`,
  }),
}).annotate({
  identifier: "CreateBulk",
  examples: [
    {
      act: "refund",
      ids: ["txn_01KA0000000700000000000000", "txn_01KA0000000700000000000001"],
      reason: "The show was cancelled",
    },
  ],
})
export type CreateBulk = typeof CreateBulk.Type

/** A bulk act (`docs/contract/bulk.md#fields`). */
export const Bulk = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The bulk act's id." }),
  object: Schema.Literal("bulk").annotateKey({ description: "The kind of resource." }),
  mode: Schema.Literals(modes).annotateKey({ description: "The mode of its rows." }),
  act: Schema.Literals(bulkActs).annotateKey({ description: "What is done to each row." }),
  reason: textOrNull.annotateKey({ description: "As requested." }),
  state: Schema.Literals(bulkStates).annotateKey({
    description: "`running` while rows are left, then `done`.",
  }),
  total: Schema.Int.annotateKey({ description: "How many rows there are." }),
  done: Schema.Int.annotateKey({ description: "How many rows were tried, failed ones too." }),
  failed: Schema.Array(
    Schema.Struct({
      id: Schema.String.annotateKey({ description: "The row's id." }),
      code: Schema.Literals(Object.keys(errorCodes) as Array<keyof typeof errorCodes>).annotateKey({
        description: "The error that the act on this row alone would have answered.",
      }),
    }),
  ).annotateKey({ description: "Rows to which nothing was done, and why." }),
  created_at: timestamp.annotateKey({ description: "When it was requested." }),
}).annotate({
  identifier: "Bulk",
  examples: [
    {
      id: "blk_01KA0000000700000000000000",
      object: "bulk",
      mode: "test",
      act: "refund",
      reason: "The show was cancelled",
      state: "done",
      total: 2,
      done: 2,
      failed: [{ id: "txn_01KA0000000700000000000001", code: "invalid_state" }],
      created_at: "2026-11-21T12:00:00.000Z",
    },
  ],
})
export type Bulk = typeof Bulk.Type
