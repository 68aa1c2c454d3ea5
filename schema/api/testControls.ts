import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { timestamp } from "../fields.ts"
import { limits } from "../limits.ts"
import { rolesFor } from "../memberRoles.ts"
import { Refund } from "../resources/refund.ts"
import { Transaction } from "../resources/transaction.ts"
import { Withdrawal } from "../resources/withdrawal.ts"
import { idParams } from "./common.ts"
import { route } from "./route.ts"
import { ApiKeyAuth, SellerAuth, TestModeOnly } from "./security.ts"

const act = ["permission_denied", "resource_not_found", "invalid_state"] as const
const byKey = ["invalid_api_key", ...act] as const
const bySession = ["validation_failed", "session_required", "origin_not_allowed", ...act] as const

/** Where a credential's routes begin, and what they may refuse. */
interface Plane<Base extends string> {
  readonly base: Base
  /** Whether they take API keys, which need scopes. */
  readonly takesKeys: boolean
  readonly errors: typeof byKey | typeof bySession
}
const ofKey: Plane<"v1/test"> = { base: "v1/test", takesKeys: true, errors: byKey }
const ofSession: Plane<"v1/me/test"> = { base: "v1/me/test", takesKeys: false, errors: bySession }

/** A route that acts on a charge and answers the updated charge. */
const onTransaction = <Base extends string, Name extends string, Act extends string>(
  { base, takesKeys, errors }: Plane<Base>,
  name: Name,
  act: Act,
  summary: string,
) =>
  route.post(name, `/${base}/transactions/:id/${act}`, {
    summary,
    scope: takesKeys ? "charges:write" : undefined,
    roles: takesKeys ? undefined : rolesFor.integrating,
    params: idParams,
    success: Transaction,
    errors,
  })

/** A route that acts on a withdrawal and answers the updated withdrawal. */
const onWithdrawal = <Base extends string, Name extends string, Act extends string>(
  { base, takesKeys, errors }: Plane<Base>,
  name: Name,
  act: Act,
  summary: string,
) =>
  route.post(name, `/${base}/withdrawals/:id/${act}`, {
    summary,
    scope: takesKeys ? "withdrawals:write" : undefined,
    roles: takesKeys ? undefined : rolesFor.integrating,
    params: idParams,
    success: Withdrawal,
    errors,
  })

/** A route that acts on a refund and answers the updated refund. */
const onRefund = <Base extends string, Name extends string, Act extends string>(
  { base, takesKeys, errors }: Plane<Base>,
  name: Name,
  act: Act,
  summary: string,
) =>
  route.post(name, `/${base}/refunds/:id/${act}`, {
    summary,
    scope: takesKeys ? "refunds:write" : undefined,
    roles: takesKeys ? undefined : rolesFor.integrating,
    params: idParams,
    success: Refund,
    errors,
  })

const now = timestamp.annotateKey({
  description: "The current time of the seller's test mode.",
})

/** What a route that advances the clock takes and answers; only its credential differs. */
const clockAdvance = {
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
    now,
  }).annotate({ identifier: "TestClock" }),
} as const

const clockAdvanceErrors = [
  "validation_failed",
  "permission_denied",
  "invalid_state",
  "length_required",
  "payload_too_large",
  "unsupported_media_type",
] as const

/** What a route that reads the clock answers. */
const clockRead = {
  summary: "The time of test mode",
  success: Schema.Struct({
    advanced_seconds: Schema.Int.annotateKey({
      description: "How far all advances together have taken the clock ahead of the true time.",
      examples: [3600],
    }),
    now,
  }).annotate({ identifier: "TestTime" }),
} as const

/** Test controls: developers trigger what payers, acquirers and time would otherwise cause. */
export const testControlsGroup = HttpApiGroup.make("testControls")
  .add(
    onTransaction(ofKey, "payTestTransaction", "pay", "Pay a charge, even an expired one"),
    onTransaction(ofKey, "expireTestTransaction", "expire", "Expire a charge"),
    onTransaction(ofKey, "failTestTransaction", "fail", "Fail a charge"),
    onTransaction(ofKey, "refundTestTransaction", "refund", "Refund what is left of a paid charge"),
    onTransaction(ofKey, "chargebackTestTransaction", "chargeback", "Charge back a paid charge"),
    onWithdrawal(ofKey, "approveTestWithdrawal", "approve", "Approve a withdrawal, as an operator would"),
    onWithdrawal(ofKey, "rejectTestWithdrawal", "reject", "Reject a withdrawal, as an operator would"),
    onWithdrawal(ofKey, "succeedTestWithdrawal", "succeed", "Let the bank pay a withdrawal"),
    onWithdrawal(ofKey, "failTestWithdrawal", "fail", "Let the bank reject a withdrawal"),
    onRefund(ofKey, "succeedTestRefund", "succeed", "Let the bank carry out a refund"),
    onRefund(ofKey, "failTestRefund", "fail", "Let the bank reject a refund"),
    route.post("advanceTestClock", "/v1/test/clock/advance", {
      scope: "charges:write",
      ...clockAdvance,
      errors: ["invalid_api_key", ...clockAdvanceErrors],
    }),
    route.get("getTestClock", "/v1/test/clock", {
      scope: "charges:read",
      ...clockRead,
      errors: ["invalid_api_key", "permission_denied"],
    }),
  )
  .annotateEndpoints(TestModeOnly, true)
  .middleware(ApiKeyAuth)
  .annotate(
    OpenApi.Description,
    "For test keys only: triggers what acquirers, payers and time would otherwise cause, with the usual events and deliveries.",
  )

/** The same for a session with `X-Mode: test`. No money moves, so there is no step-up. */
export const sessionTestControlsGroup = HttpApiGroup.make("sessionTestControls")
  .add(
    onTransaction(ofSession, "payMyTestTransaction", "pay", "Pay a charge, even an expired one"),
    onTransaction(ofSession, "expireMyTestTransaction", "expire", "Expire a charge"),
    onTransaction(ofSession, "failMyTestTransaction", "fail", "Fail a charge"),
    onTransaction(ofSession, "refundMyTestTransaction", "refund", "Refund what is left of a paid charge"),
    onTransaction(ofSession, "chargebackMyTestTransaction", "chargeback", "Charge back a paid charge"),
    onWithdrawal(
      ofSession,
      "approveMyTestWithdrawal",
      "approve",
      "Approve a withdrawal, as an operator would",
    ),
    onWithdrawal(ofSession, "rejectMyTestWithdrawal", "reject", "Reject a withdrawal, as an operator would"),
    onWithdrawal(ofSession, "succeedMyTestWithdrawal", "succeed", "Let the bank pay a withdrawal"),
    onWithdrawal(ofSession, "failMyTestWithdrawal", "fail", "Let the bank reject a withdrawal"),
    onRefund(ofSession, "succeedMyTestRefund", "succeed", "Let the bank carry out a refund"),
    onRefund(ofSession, "failMyTestRefund", "fail", "Let the bank reject a refund"),
    route.post("advanceMyTestClock", "/v1/me/test/clock/advance", {
      roles: rolesFor.integrating,
      ...clockAdvance,
      errors: ["session_required", "origin_not_allowed", ...clockAdvanceErrors],
    }),
    route.get("getMyTestClock", "/v1/me/test/clock", {
      roles: rolesFor.reading,
      ...clockRead,
      errors: ["validation_failed", "session_required", "permission_denied"],
    }),
  )
  .annotateEndpoints(TestModeOnly, true)
  .middleware(SellerAuth)
  .annotate(
    OpenApi.Description,
    "For test mode only: triggers what acquirers, payers and time would otherwise cause, with the usual events and deliveries.",
  )
