import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { timestamp } from "../fields.ts"
import { limits } from "../limits.ts"
import { Refund } from "../resources/refund.ts"
import { Transaction } from "../resources/transaction.ts"
import { Withdrawal } from "../resources/withdrawal.ts"
import { idParams } from "./common.ts"
import { route } from "./route.ts"
import { ApiKeyAuth, TestModeOnly } from "./security.ts"

const errors = ["invalid_api_key", "permission_denied", "resource_not_found", "invalid_state"] as const

/** A route that acts on a charge and answers the updated charge. */
const onTransaction = <Name extends string, Act extends string>(name: Name, act: Act, summary: string) =>
  route.post(name, `/v1/test/transactions/:id/${act}`, {
    summary,
    params: idParams,
    success: Transaction,
    errors,
  })

/** A route that acts on a withdrawal and answers the updated withdrawal. */
const onWithdrawal = <Name extends string, Act extends string>(name: Name, act: Act, summary: string) =>
  route.post(name, `/v1/test/withdrawals/:id/${act}`, {
    summary,
    params: idParams,
    success: Withdrawal,
    errors,
  })

/** A route that acts on a refund and answers the updated refund. */
const onRefund = <Name extends string, Act extends string>(name: Name, act: Act, summary: string) =>
  route.post(name, `/v1/test/refunds/:id/${act}`, {
    summary,
    params: idParams,
    success: Refund,
    errors,
  })

/** Test controls: developers trigger what payers, acquirers and time would otherwise cause. */
export const testControlsGroup = HttpApiGroup.make("testControls")
  .add(
    onTransaction("payTestTransaction", "pay", "Pay a charge, even an expired one"),
    onTransaction("expireTestTransaction", "expire", "Expire a charge"),
    onTransaction("failTestTransaction", "fail", "Fail a charge"),
    onTransaction("refundTestTransaction", "refund", "Refund what is left of a paid charge"),
    onTransaction("chargebackTestTransaction", "chargeback", "Charge back a paid charge"),
    onWithdrawal("approveTestWithdrawal", "approve", "Approve a withdrawal, as an operator would"),
    onWithdrawal("rejectTestWithdrawal", "reject", "Reject a withdrawal, as an operator would"),
    onWithdrawal("succeedTestWithdrawal", "succeed", "Let the bank pay a withdrawal"),
    onWithdrawal("failTestWithdrawal", "fail", "Let the bank reject a withdrawal"),
    onRefund("succeedTestRefund", "succeed", "Let the bank carry out a refund"),
    onRefund("failTestRefund", "fail", "Let the bank reject a refund"),
    route.post("advanceTestClock", "/v1/test/clock/advance", {
      summary: "Advance the clock of test mode: everything due by then happens now",
      payload: Schema.Struct({
        seconds: Schema.Int.check(
          Schema.isBetween({ minimum: 1, maximum: limits.clockAdvanceSecondsMax }),
        ).annotateKey({ description: "How far to advance; it adds to earlier advances." }),
      }).annotate({ identifier: "ClockAdvance", examples: [{ seconds: 3600 }] }),
      success: Schema.Struct({
        advanced_seconds: Schema.Int.annotateKey({
          description: "How far this request advanced the clock.",
          examples: [3600],
        }),
        now: timestamp.annotateKey({
          description: "The current time of the seller's test mode.",
        }),
      }).annotate({ identifier: "TestClock" }),
      errors: [
        "validation_failed",
        "invalid_api_key",
        "permission_denied",
        "invalid_state",
        "length_required",
        "payload_too_large",
        "unsupported_media_type",
      ],
    }),
  )
  .annotateEndpoints(TestModeOnly, true)
  .middleware(ApiKeyAuth)
  .annotate(
    OpenApi.Description,
    "For test keys only: triggers what acquirers, payers and time would otherwise cause, with the usual events and deliveries.",
  )
