import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CreateRefund, Refund, refundStatuses } from "../resources/refund.ts"
import { creationHeaders, idParams, pageOf, pageQuery, statusFilter, windowQuery } from "./common.ts"
import { AwaitingSecondOperator, operatorErrors } from "./operatorDecision.ts"
import { route } from "./route.ts"
import { ApiKeyAuth, OperatorAuth, SellerAuth } from "./security.ts"

const chargeParams = { id: Schema.String.annotateKey({ description: "The charge's id." }) }

/** Filters of the list of refunds. */
const refundsQuery = {
  ...pageQuery,
  ...windowQuery,
  status: statusFilter(refundStatuses),
  transaction_id: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1))).annotateKey({
    description: "Only refunds of this charge.",
  }),
}

/** Errors of a request for a refund, whoever makes it (`docs/contract/refunds.md#preconditions`). */
const creation = [
  "validation_failed",
  "missing_idempotency_key",
  "seller_not_allowed",
  "kyc_required",
  "resource_not_found",
  "invalid_state",
  "insufficient_balance",
  "idempotency_in_progress",
  "length_required",
  "payload_too_large",
  "unsupported_media_type",
  "idempotency_key_reused",
] as const

/** What every route that requests a refund takes and answers; only its credential differs. */
const request = {
  summary: "Give money of a paid charge back to its payer",
  body: "optional",
  params: chargeParams,
  headers: creationHeaders,
  payload: CreateRefund,
  success: Refund.pipe(HttpApiSchema.status(201)),
} as const

/** Refunds. */
export const refundsGroup = HttpApiGroup.make("refunds")
  .add(
    route.post("createRefund", "/v1/transactions/:id/refunds", {
      ...request,
      errors: ["invalid_api_key", ...creation],
    }),
    route.get("getRefund", "/v1/refunds/:id", {
      summary: "A refund as it is now",
      params: idParams,
      success: Refund,
      errors: ["invalid_api_key", "resource_not_found"],
    }),
    route.get("listRefunds", "/v1/refunds", {
      summary: "Refunds, newest first",
      query: refundsQuery,
      success: pageOf(Refund),
      errors: ["validation_failed", "invalid_cursor", "invalid_api_key"],
    }),
  )
  .middleware(ApiKeyAuth)
  .annotate(
    OpenApi.Description,
    "Money of paid charges that goes back to their payers: the whole amount, or parts of it. Amounts are integers in centavos.",
  )

const reads = ["validation_failed", "session_required", "permission_denied"] as const

/** The same for a session with `X-Mode`. Moving money always needs a step-up (`docs/contract/accounts.md#step-up`). */
export const sessionRefundsGroup = HttpApiGroup.make("sessionRefunds")
  .add(
    route.post("createMyRefund", "/v1/me/transactions/:id/refunds", {
      ...request,
      stepUp: "always",
      errors: ["session_required", "permission_denied", "origin_not_allowed", "mfa_required", ...creation],
    }),
    route.get("getMyRefund", "/v1/me/refunds/:id", {
      summary: "A refund as it is now",
      params: idParams,
      success: Refund,
      errors: [...reads, "resource_not_found"],
    }),
    route.get("listMyRefunds", "/v1/me/refunds", {
      summary: "Refunds, newest first",
      query: refundsQuery,
      success: pageOf(Refund),
      errors: [...reads, "invalid_cursor"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "A seller's refunds, for a dashboard.")

/** Operators refund charges of any seller. */
export const operatorRefundsGroup = HttpApiGroup.make("operatorRefunds")
  .add(
    route.post("createRefundAsOperator", "/v1/admin/transactions/:id/refunds", {
      ...request,
      success: [request.success, AwaitingSecondOperator],
      summary: "Give money of a seller's paid charge back to its payer",
      errors: [...operatorErrors, ...creation],
    }),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "Operators refund charges, out of their sellers' balances.")
