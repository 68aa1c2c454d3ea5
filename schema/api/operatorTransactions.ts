import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { timestamp } from "../fields.ts"
import { LedgerEntry } from "../resources/ledger.ts"
import { exampleRefund, Refund } from "../resources/refund.ts"
import { exampleSellerProfile, SellerProfile } from "../resources/seller.ts"
import { exampleTransaction, Transaction } from "../resources/transaction.ts"
import { operatorErrors } from "./operatorDecision.ts"
import { route } from "./route.ts"
import { OperatorAuth } from "./security.ts"

const TimelineEntry = Schema.Struct({
  id: Schema.String.annotateKey({
    description: "The event's id.",
    examples: ["evt_01KA0000000700000000000000"],
  }),
  type: Schema.String.annotateKey({ description: "What happened.", examples: ["transaction.paid"] }),
  resource_id: Schema.String.annotateKey({
    description: "The charge, or the refund that it happened to.",
    examples: ["txn_01KA0000000700000000000000"],
  }),
  created_at: timestamp.annotateKey({ description: "When it was recorded." }),
})

const exampleCharge = "txn_01KA0000000700000000000000"

/** A charge for operators: whose it is, what it moved, and what happened to it (`docs/contract/admin.md#charges`). */
export const OperatorTransaction = Schema.Struct({
  ...Transaction.fields,
  seller_id: Schema.String.annotateKey({ description: "Whose charge it is." }),
  seller: Schema.NullOr(SellerProfile).annotateKey({
    description: "That seller; null if there is no such seller.",
  }),
  all_refunds: Schema.Array(Refund).annotateKey({
    description: "Its refunds, newest first, whatever became of them; `refunds` has what went back.",
  }),
  ledger_entries: Schema.Array(LedgerEntry).annotateKey({
    description: "What it and its refunds moved, newest first.",
  }),
  timeline: Schema.Array(TimelineEntry).annotateKey({
    description:
      "What happened to it and to its refunds, newest first; events past their retention are missing.",
  }),
}).annotate({
  identifier: "OperatorTransaction",
  examples: [
    {
      ...exampleTransaction,
      customer: { ...exampleTransaction.customer, document: "***.982.247-**" },
      seller_id: exampleSellerProfile.id,
      seller: exampleSellerProfile,
      all_refunds: [exampleRefund],
      ledger_entries: [],
      timeline: [
        {
          id: "evt_01KA0000000700000000000000",
          type: "transaction.created",
          resource_id: exampleCharge,
          created_at: "2026-11-21T12:00:00.000Z",
        },
      ],
    },
  ],
})
export type OperatorTransaction = typeof OperatorTransaction.Type

/** Operators read charges of any seller. */
export const operatorTransactionsGroup = HttpApiGroup.make("operatorTransactions")
  .add(
    route.get("getTransactionAsOperator", "/v1/admin/transactions/:id", {
      summary: "A charge of any seller: with the seller, its refunds, its ledger entries and its events",
      params: {
        id: Schema.String.annotateKey({ description: "The charge's id, or that of one of its refunds." }),
      },
      success: OperatorTransaction,
      errors: [...operatorErrors, "resource_not_found"],
    }),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "Operators read sellers' charges.")
