import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { limits } from "../limits.ts"
import { Transaction } from "../resources/transaction.ts"
import { Withdrawal } from "../resources/withdrawal.ts"
import { errorsOf, idParams } from "./common.ts"
import { ApiKeyAuth, TestModeOnly } from "./security.ts"

const errors = errorsOf("invalid_api_key", "permission_denied", "resource_not_found", "invalid_state")

/** A route that does something to a charge, and answers it as it is then. */
const onTransaction = <Name extends string, Act extends string>(name: Name, act: Act, summary: string) =>
  HttpApiEndpoint.post(name, `/v1/test/transactions/:id/${act}`, {
    disableCodecs: true,
    params: idParams,
    success: Transaction,
    error: errors,
  }).annotate(OpenApi.Summary, summary)

/** A route that does something to a withdrawal, and answers it as it is then. */
const onWithdrawal = <Name extends string, Act extends string>(name: Name, act: Act, summary: string) =>
  HttpApiEndpoint.post(name, `/v1/test/withdrawals/:id/${act}`, {
    disableCodecs: true,
    params: idParams,
    success: Withdrawal,
    error: errors,
  }).annotate(OpenApi.Summary, summary)

/** The test control plane: what else happens to an integration, when its developer wants it to (decisions 3). */
export const testControlsGroup = HttpApiGroup.make("testControls")
  .add(
    onTransaction("payTestTransaction", "pay", "Have a charge paid, before or after it expired"),
    onTransaction("expireTestTransaction", "expire", "Have a charge expire"),
    onTransaction("failTestTransaction", "fail", "Have a charge fail"),
    onTransaction("refundTestTransaction", "refund", "Have a paid charge refunded, what is left of it"),
    onTransaction("chargebackTestTransaction", "chargeback", "Have a paid charge charged back"),
    onWithdrawal("approveTestWithdrawal", "approve", "Approve a withdrawal, as an operator does"),
    onWithdrawal("rejectTestWithdrawal", "reject", "Reject a withdrawal, as an operator does"),
    onWithdrawal("succeedTestWithdrawal", "succeed", "Have the bank pay a withdrawal"),
    onWithdrawal("failTestWithdrawal", "fail", "Have the bank turn a withdrawal down"),
    HttpApiEndpoint.post("advanceTestClock", "/v1/test/clock/advance", {
      disableCodecs: true,
      payload: Schema.Struct({
        seconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limits.clockAdvanceSecondsMax })),
      }).annotate({ identifier: "ClockAdvance" }),
      success: Schema.Struct({
        advanced_seconds: Schema.Int,
        now: Schema.String.annotate({ format: "date-time" }),
      }).annotate({ identifier: "TestClock" }),
      error: errorsOf(
        "validation_failed",
        "invalid_api_key",
        "permission_denied",
        "invalid_state",
        "length_required",
        "payload_too_large",
        "unsupported_media_type",
      ),
    }).annotate(OpenApi.Summary, "Let time pass in test mode: what is due by then happens now"),
  )
  .annotateEndpoints(TestModeOnly, true)
  .middleware(ApiKeyAuth)
  .annotate(
    OpenApi.Description,
    "Test keys only, at any time: makes happen what partners, payers and time would. What happens has its events and deliveries as ever.",
  )
