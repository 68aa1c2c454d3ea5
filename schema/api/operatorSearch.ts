import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { textOrNull, timestamp } from "../fields.ts"
import { listOf } from "./common.ts"
import { SearchText } from "./insights.ts"
import { operatorErrors } from "./operatorDecision.ts"
import { route } from "./route.ts"
import { OperatorAuth } from "./security.ts"

const objects = ["seller", "transaction", "refund", "withdrawal", "pix_key", "exception"] as const

/** What a search over all sellers finds (`docs/contract/admin.md#search`). */
const FoundByOperator = Schema.Struct({
  object: Schema.Literals(objects).annotateKey({ description: "The kind of object." }),
  id: Schema.String.annotateKey({ description: "Its id." }),
  status: Schema.String.annotateKey({ description: "Its status; of an exception its state." }),
  amount: Schema.NullOr(Schema.Int).annotateKey({ description: "In centavos; null if no money is in it." }),
  created_at: timestamp.annotateKey({ description: "When it was created." }),
  seller_id: textOrNull.annotateKey({ description: "Whose it is; null while nobody knows." }),
  seller_name: textOrNull.annotateKey({ description: "That seller's name." }),
}).annotate({
  identifier: "OperatorSearchResult",
  examples: [
    {
      object: "transaction",
      id: "txn_01KA0000000700000000000000",
      status: "paid",
      amount: 12990,
      created_at: "2026-11-21T12:00:00.000Z",
      seller_id: "sel_01KA0000000700000000000000",
      seller_name: "Loja da Ana",
    },
  ],
})
export type FoundByOperator = typeof FoundByOperator.Type

/** Operators search over all sellers. */
export const operatorSearchGroup = HttpApiGroup.make("operatorSearch")
  .add(
    route.get("searchAsOperator", "/v1/admin/search", {
      summary: "Objects of any seller by an id, a txid or an end-to-end id; or else sellers",
      query: {
        q: SearchText.annotateKey({
          description:
            "A charge's, refund's, withdrawal's, Pix key's or exception's id, a txid or an end-to-end id, as a whole; otherwise what finds sellers.",
        }),
      },
      success: listOf(FoundByOperator),
      errors: ["validation_failed", ...operatorErrors],
    }),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "Operators search over all sellers.")
