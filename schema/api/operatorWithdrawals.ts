import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { textOrNull, timestampOrNull } from "../fields.ts"
import { sellerStatuses } from "../resources/seller.ts"
import { exampleWithdrawal, Withdrawal, withdrawalStatuses } from "../resources/withdrawal.ts"
import { modeFilter, pageOf, pageQuery, sellerFilter, statusFilter } from "./common.ts"
import {
  WithdrawalFailure,
  WithdrawalSettlement,
  WithdrawalsToPayCsv,
  WithdrawalToPay,
} from "./manualPayouts.ts"
import {
  AwaitingSecondOperator,
  decisionFields,
  operatorDecision,
  operatorErrors,
} from "./operatorDecision.ts"
import { route } from "./route.ts"
import { OperatorAuth } from "./security.ts"

/** A withdrawal for operators: with its seller, and whether that seller may withdraw now. */
export const OperatorWithdrawal = Schema.Struct({
  ...Withdrawal.fields,
  seller_id: Schema.String.annotateKey({ description: "Who withdraws." }),
  seller_name: textOrNull.annotateKey({ description: "That seller's name." }),
  seller_status: Schema.NullOr(Schema.Literals(sellerStatuses)).annotateKey({
    description: "That seller's status; null if there is no such seller.",
  }),
  payout_locked_until: timestampOrNull.annotateKey({
    description: "Until when that seller cannot withdraw; null if it can.",
  }),
  available: Schema.Int.annotateKey({
    description: "What that seller has available in this mode, in centavos. Below zero it is not paid.",
  }),
}).annotate({
  identifier: "OperatorWithdrawal",
  examples: [
    {
      ...exampleWithdrawal,
      mode: "live",
      seller_id: "sel_01KA0000000700000000000000",
      seller_name: "Loja da Ana",
      seller_status: "active",
      payout_locked_until: null,
      available: 15_000,
    },
  ],
})
export type OperatorWithdrawal = typeof OperatorWithdrawal.Type

/** The reason also becomes the `failure_reason` of a rejected withdrawal. */
const WithdrawalDecision = Schema.Struct({
  reason: decisionFields.reason.annotateKey({
    description: "Kept in the audit log; the seller sees it if the withdrawal is rejected.",
  }),
}).annotate({
  identifier: "WithdrawalDecision",
  examples: [{ reason: "The account's holder is another one" }],
})

const toPayHeaders = {
  accept: Schema.optionalKey(Schema.String).annotateKey({
    description: "`text/csv` asks for CSV; anything else for JSON.",
  }),
}

const decision = operatorDecision(WithdrawalDecision, OperatorWithdrawal)

/** Operators approve and reject withdrawals. */
export const operatorWithdrawalsGroup = HttpApiGroup.make("operatorWithdrawals")
  .add(
    route.get("listWithdrawalsAsOperator", "/v1/admin/withdrawals", {
      summary: "Withdrawals of all sellers, newest first; by default live ones that await approval",
      query: {
        ...pageQuery,
        mode: modeFilter,
        seller_id: sellerFilter,
        status: statusFilter(withdrawalStatuses),
      },
      success: pageOf(OperatorWithdrawal),
      errors: ["validation_failed", "invalid_cursor", ...operatorErrors],
    }),
    route.post("approveWithdrawal", "/v1/admin/withdrawals/:id/approve", {
      ...operatorDecision(WithdrawalDecision, [OperatorWithdrawal, AwaitingSecondOperator]),
      summary: "Approve a withdrawal, so that it is paid out",
      body: "optional",
    }),
    route.post("rejectWithdrawal", "/v1/admin/withdrawals/:id/reject", {
      ...decision,
      summary: "Reject a withdrawal and release its funds",
      body: "optional",
    }),
    route.get("listWithdrawalsToPay", "/v1/admin/withdrawals/to-pay", {
      summary: "Withdrawals for operators to pay in the bank's application, oldest first, as JSON or CSV",
      query: pageQuery,
      headers: toPayHeaders,
      success: [pageOf(WithdrawalToPay), WithdrawalsToPayCsv],
      errors: ["validation_failed", "invalid_cursor", ...operatorErrors],
    }),
    route.post("settleWithdrawal", "/v1/admin/withdrawals/:id/settle", {
      ...operatorDecision(WithdrawalSettlement, [OperatorWithdrawal, AwaitingSecondOperator]),
      summary: "Settle a withdrawal that was paid in the bank's application",
    }),
    route.post("failWithdrawal", "/v1/admin/withdrawals/:id/fail", {
      ...operatorDecision(WithdrawalFailure, [OperatorWithdrawal, AwaitingSecondOperator]),
      summary: "Fail a withdrawal that was not paid, and release its funds",
    }),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "Operators decide on withdrawals.")
