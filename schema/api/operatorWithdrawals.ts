import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { modes } from "../ids.ts"
import { sellerStatuses } from "../resources/seller.ts"
import { Withdrawal, withdrawalStatuses } from "../resources/withdrawal.ts"
import { errorsOf, OptionalBody, pageOf, pageQuery } from "./common.ts"
import { decisionFields, operatorDecision, operatorErrors } from "./operatorDecision.ts"
import { OperatorAuth } from "./security.ts"

/** A seller's withdrawal as operators see it: with whose it is, and whether its seller may withdraw now. */
export const OperatorWithdrawal = Schema.Struct({
  ...Withdrawal.fields,
  seller_id: Schema.String,
  /** Null where the seller is not there. */
  seller_status: Schema.NullOr(Schema.Literals(sellerStatuses)),
  payout_locked_until: Schema.NullOr(Schema.String.annotate({ format: "date-time" })),
}).annotate({ identifier: "OperatorWithdrawal" })
export type OperatorWithdrawal = typeof OperatorWithdrawal.Type

/** Why (decisions 3); stands in the `audit` stream, and in `failure_reason` of what is rejected. */
const WithdrawalDecision = Schema.Struct(decisionFields).annotate({ identifier: "WithdrawalDecision" })

const decision = operatorDecision(WithdrawalDecision, OperatorWithdrawal)

/** Operators decide on withdrawals (decisions 4). */
export const operatorWithdrawalsGroup = HttpApiGroup.make("operatorWithdrawals")
  .add(
    HttpApiEndpoint.get("listWithdrawalsAsOperator", "/v1/admin/withdrawals", {
      disableCodecs: true,
      query: {
        ...pageQuery,
        mode: Schema.optionalKey(Schema.Literals(modes)),
        status: Schema.optionalKey(Schema.Literals(withdrawalStatuses)),
      },
      success: pageOf(OperatorWithdrawal),
      error: errorsOf("validation_failed", "invalid_cursor", ...operatorErrors),
    }).annotate(OpenApi.Summary, "All sellers' withdrawals, newest first: live ones that await approval"),
    HttpApiEndpoint.post("approveWithdrawal", "/v1/admin/withdrawals/:id/approve", decision)
      .annotate(OpenApi.Summary, "Approve a withdrawal: it is paid out")
      .annotate(OptionalBody, true),
    HttpApiEndpoint.post("rejectWithdrawal", "/v1/admin/withdrawals/:id/reject", decision)
      .annotate(OpenApi.Summary, "Reject a withdrawal: its funds are back")
      .annotate(OptionalBody, true),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "Operators decide on withdrawals.")
