import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Balance, LedgerEntry } from "../resources/ledger.ts"
import { CreateWithdrawal, Withdrawal, withdrawalStatuses } from "../resources/withdrawal.ts"
import { errorsOf, idParams, pageOf, pageQuery, windowQuery } from "./common.ts"
import { ApiKeyAuth, SellerAuth, StepUp } from "./security.ts"

/** What a list of withdrawals may be asked for (decisions 3). */
const withdrawalsQuery = {
  ...pageQuery,
  ...windowQuery,
  status: Schema.optionalKey(Schema.Literals(withdrawalStatuses)),
}

const ledgerQuery = { ...pageQuery, ...windowQuery }

/** Both credentials' requests for a withdrawal may be refused so (spec 4.1). */
const creation = [
  "validation_failed",
  "missing_idempotency_key",
  "seller_not_allowed",
  "kyc_required",
  "payout_locked",
  "pix_key_not_verified",
  "insufficient_balance",
  "daily_limit_exceeded",
  "invalid_state",
  "idempotency_in_progress",
  "length_required",
  "payload_too_large",
  "unsupported_media_type",
  "idempotency_key_reused",
] as const

/** Withdrawals (spec 4.1). */
export const withdrawalsGroup = HttpApiGroup.make("withdrawals")
  .add(
    HttpApiEndpoint.post("createWithdrawal", "/v1/withdrawals", {
      disableCodecs: true,
      headers: { "idempotency-key": Schema.String },
      payload: CreateWithdrawal,
      success: Withdrawal.pipe(HttpApiSchema.status(201)),
      error: errorsOf("invalid_api_key", ...creation),
    }).annotate(OpenApi.Summary, "Request a withdrawal to a verified PIX key"),
    HttpApiEndpoint.get("getWithdrawal", "/v1/withdrawals/:id", {
      disableCodecs: true,
      params: idParams,
      success: Withdrawal,
      error: errorsOf("invalid_api_key", "resource_not_found"),
    }).annotate(OpenApi.Summary, "The withdrawal as it is now"),
    HttpApiEndpoint.get("listWithdrawals", "/v1/withdrawals", {
      disableCodecs: true,
      query: withdrawalsQuery,
      success: pageOf(Withdrawal),
      error: errorsOf("validation_failed", "invalid_cursor", "invalid_api_key"),
    }).annotate(OpenApi.Summary, "Withdrawals, newest first"),
    HttpApiEndpoint.post("cancelWithdrawal", "/v1/withdrawals/:id/cancel", {
      disableCodecs: true,
      params: idParams,
      success: Withdrawal,
      error: errorsOf("invalid_api_key", "resource_not_found", "invalid_state"),
    }).annotate(OpenApi.Summary, "Cancel a withdrawal that awaits approval"),
  )
  .middleware(ApiKeyAuth)
  .annotate(
    OpenApi.Description,
    "Withdrawals to PIX keys, one at a time. Amounts are integers in centavos; the fee comes on top.",
  )

/** Balance and ledger (spec 4.1, decisions 3). */
export const balanceGroup = HttpApiGroup.make("balance")
  .add(
    HttpApiEndpoint.get("getBalance", "/v1/balance", {
      disableCodecs: true,
      success: Balance,
      error: errorsOf("invalid_api_key"),
    }).annotate(OpenApi.Summary, "What can be withdrawn, is in reserve, and is on its way"),
    HttpApiEndpoint.get("listLedger", "/v1/ledger", {
      disableCodecs: true,
      query: ledgerQuery,
      success: pageOf(LedgerEntry),
      error: errorsOf("validation_failed", "invalid_cursor", "invalid_api_key"),
    }).annotate(OpenApi.Summary, "Movements of money, newest first"),
  )
  .middleware(ApiKeyAuth)
  .annotate(OpenApi.Description, "A double-entry ledger: the postings of every entry sum to zero.")

const seller = ["validation_failed", "session_required", "permission_denied"] as const
const unsafe = ["origin_not_allowed", "mfa_required"] as const

/** The same for a session, with `X-Mode` (decisions 2); what moves money always needs a step-up (spec 5.3). */
export const sessionMoneyGroup = HttpApiGroup.make("sessionMoney")
  .add(
    HttpApiEndpoint.post("createMyWithdrawal", "/v1/me/withdrawals", {
      disableCodecs: true,
      headers: { "idempotency-key": Schema.String },
      payload: CreateWithdrawal,
      success: Withdrawal.pipe(HttpApiSchema.status(201)),
      error: errorsOf("session_required", "permission_denied", ...unsafe, ...creation),
    })
      .annotate(OpenApi.Summary, "Request a withdrawal to a verified PIX key")
      .annotate(StepUp, "always"),
    HttpApiEndpoint.get("getMyWithdrawal", "/v1/me/withdrawals/:id", {
      disableCodecs: true,
      params: idParams,
      success: Withdrawal,
      error: errorsOf(...seller, "resource_not_found"),
    }).annotate(OpenApi.Summary, "The withdrawal as it is now"),
    HttpApiEndpoint.get("listMyWithdrawals", "/v1/me/withdrawals", {
      disableCodecs: true,
      query: withdrawalsQuery,
      success: pageOf(Withdrawal),
      error: errorsOf(...seller, "invalid_cursor"),
    }).annotate(OpenApi.Summary, "Withdrawals, newest first"),
    HttpApiEndpoint.post("cancelMyWithdrawal", "/v1/me/withdrawals/:id/cancel", {
      disableCodecs: true,
      params: idParams,
      success: Withdrawal,
      error: errorsOf(...seller, ...unsafe, "resource_not_found", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Cancel a withdrawal that awaits approval")
      .annotate(StepUp, "always"),
    HttpApiEndpoint.get("getMyBalance", "/v1/me/balance", {
      disableCodecs: true,
      success: Balance,
      error: errorsOf(...seller),
    }).annotate(OpenApi.Summary, "What can be withdrawn, is in reserve, and is on its way"),
    HttpApiEndpoint.get("listMyLedger", "/v1/me/ledger", {
      disableCodecs: true,
      query: ledgerQuery,
      success: pageOf(LedgerEntry),
      error: errorsOf(...seller, "invalid_cursor"),
    }).annotate(OpenApi.Summary, "Movements of money, newest first"),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "A seller's money, as a dashboard shows it.")
