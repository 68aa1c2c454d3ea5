import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { sellerStatuses } from "../resources/seller.ts"
import { Withdrawal, withdrawalStatuses } from "../resources/withdrawal.ts"
import { modeFilter, pageOf, pageQuery, statusFilter } from "./common.ts"
import { decisionFields, operatorDecision, operatorErrors } from "./operatorDecision.ts"
import { route } from "./route.ts"
import { OperatorAuth } from "./security.ts"

/** A withdrawal for operators: with its seller, and whether that seller may withdraw now. */
export const OperatorWithdrawal = Schema.Struct({
  ...Withdrawal.fields,
  seller_id: Schema.String,
  /** Null if there is no such seller. */
  seller_status: Schema.NullOr(Schema.Literals(sellerStatuses)),
  payout_locked_until: Schema.NullOr(Schema.String.annotate({ format: "date-time" })),
}).annotate({ identifier: "OperatorWithdrawal" })
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

const decision = operatorDecision(WithdrawalDecision, OperatorWithdrawal)

/** Operators approve and reject withdrawals. */
export const operatorWithdrawalsGroup = HttpApiGroup.make("operatorWithdrawals")
  .add(
    route.get("listWithdrawalsAsOperator", "/v1/admin/withdrawals", {
      summary: "Withdrawals of all sellers, newest first; by default live ones that await approval",
      query: {
        ...pageQuery,
        mode: modeFilter,
        status: statusFilter(withdrawalStatuses),
      },
      success: pageOf(OperatorWithdrawal),
      errors: ["validation_failed", "invalid_cursor", ...operatorErrors],
    }),
    route.post("approveWithdrawal", "/v1/admin/withdrawals/:id/approve", {
      ...decision,
      summary: "Approve a withdrawal, so that it is paid out",
      body: "optional",
    }),
    route.post("rejectWithdrawal", "/v1/admin/withdrawals/:id/reject", {
      ...decision,
      summary: "Reject a withdrawal and release its funds",
      body: "optional",
    }),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "Operators decide on withdrawals.")
