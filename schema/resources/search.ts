import { Schema } from "effect"
import { timestampOrNull } from "../fields.ts"
import { foundObjects } from "../names.ts"

/** By what it was found. */
const matches = ["id", "txid", "end_to_end_id", "email"] as const

/** One of a seller's objects, as a search shows it (`docs/contract/search.md#answer`). */
export const Found = Schema.Struct({
  object: Schema.Literals(foundObjects).annotateKey({ description: "The kind of object." }),
  id: Schema.String.annotateKey({ description: "Its id." }),
  matched: Schema.Literals(matches).annotateKey({ description: "By what it was found." }),
  status: Schema.NullOr(Schema.String).annotateKey({ description: "Its status; null if it has none." }),
  amount: Schema.NullOr(Schema.Int).annotateKey({ description: "In centavos; null if no money is in it." }),
  created_at: timestampOrNull.annotateKey({ description: "When it was created; null if that is not shown." }),
}).annotate({
  identifier: "SearchResult",
  examples: [
    {
      object: "transaction",
      id: "txn_01KA0000000700000000000000",
      matched: "email",
      status: "paid",
      amount: 12990,
      created_at: "2026-11-21T12:00:00.000Z",
    },
  ],
})
export type Found = typeof Found.Type
