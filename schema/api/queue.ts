import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { textOrNull, timestamp } from "../fields.ts"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { operatorErrors } from "./operatorDecision.ts"
import { route } from "./route.ts"
import { OperatorAuth } from "./security.ts"

/** What waits for operators, by what decides it (`docs/contract/admin.md#queue`). */
const caseKinds = ["withdrawal", "payout", "exception", "pix_key", "seller"] as const
export type CaseKind = (typeof caseKinds)[number]

const Case = Schema.Struct({
  kind: Schema.Literals(caseKinds).annotateKey({
    description:
      "What waits: a `withdrawal` for approval, a `payout` to be paid by hand, an open `exception`, a `pix_key` or a `seller` in review.",
  }),
  id: Schema.String.annotateKey({ description: "Its id." }),
  mode: Schema.NullOr(Schema.Literals(modes)).annotateKey({ description: "Its mode; null of a seller." }),
  amount: Schema.NullOr(Schema.Int).annotateKey({
    description: "Centavos; null where no money waits.",
  }),
  detail: textOrNull.annotateKey({
    description:
      "What tells it from others: the Pix key, of an exception its kind, of a seller its legal name.",
  }),
  seller_id: textOrNull.annotateKey({ description: "Whose it is; null while nobody knows." }),
  seller_name: textOrNull.annotateKey({ description: "That seller's name." }),
  is_blocked: Schema.Boolean.annotateKey({
    description:
      "Whether it cannot be approved or paid as things are: the seller is suspended, locked or in debt.",
  }),
  created_at: timestamp.annotateKey({
    description: "Since when it waits; of a seller since when it exists.",
  }),
})
export type Case = typeof Case.Type

const count = (what: string) =>
  Schema.Int.annotateKey({ description: `How many ${what} wait.`, examples: [1] })

const Queue = Schema.Struct({
  object: Schema.Literal("queue").annotateKey({ description: "The kind of resource." }),
  data: Schema.Array(Case).annotateKey({
    description: `The first ${limits.pageSizeMax}: money before what moves none, then what has waited for more days, then the larger amount.`,
  }),
  counts: Schema.Struct({
    withdrawals: count("withdrawals"),
    payouts: count("payouts"),
    exceptions: count("exceptions"),
    pix_keys: count("Pix keys"),
    sellers: count("sellers"),
  }).annotateKey({ description: "All that waits, by kind." }),
  to_pay: Schema.Int.annotateKey({
    description: "Centavos of the withdrawals and payouts that wait.",
    examples: [1_240_000],
  }),
  received_today: Schema.Int.annotateKey({
    description: "Centavos that payers of all sellers have paid in live since midnight in America/Sao_Paulo.",
    examples: [4_815_000],
  }),
  is_complete: Schema.Boolean.annotateKey({
    description: `False if more than ${limits.queuedPerKindMax} of a kind wait: they are not counted.`,
  }),
}).annotate({
  identifier: "Queue",
  examples: [
    {
      object: "queue",
      data: [
        {
          kind: "withdrawal",
          id: "wd_01KA0000000700000000000000",
          mode: "live",
          amount: 1_240_000,
          detail: "ana@example.com",
          seller_id: "sel_01KA0000000700000000000000",
          seller_name: "Loja da Ana",
          is_blocked: false,
          created_at: "2026-11-21T12:00:00.000Z",
        },
      ],
      counts: { withdrawals: 1, payouts: 0, exceptions: 0, pix_keys: 0, sellers: 0 },
      to_pay: 1_240_000,
      received_today: 4_815_000,
      is_complete: true,
    },
  ],
})
export type Queue = typeof Queue.Type

/** What waits for operators. */
export const queueGroup = HttpApiGroup.make("queue")
  .add(
    route.get("getQueue", "/v1/admin/queue", {
      summary: "All that waits for an operator's decision, the most urgent first",
      success: Queue,
      errors: operatorErrors,
    }),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "What waits for operators.")
