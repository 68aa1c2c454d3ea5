import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CreateTransaction, Transaction, transactionStatuses } from "../resources/transaction.ts"
import { creationHeaders, idParams, pageOf, pageQuery, statusFilter, windowQuery } from "./common.ts"
import { route } from "./route.ts"
import { ApiKeyAuth } from "./security.ts"

/** Filters of the list of charges. */
export const transactionsQuery = {
  ...pageQuery,
  ...windowQuery,
  status: statusFilter(transactionStatuses),
}

/** Errors of a request for a charge, with either credential (`docs/contract/transactions.md#create`). */
export const creationErrors = [
  "validation_failed",
  "missing_idempotency_key",
  "invalid_url",
  "seller_not_allowed",
  "kyc_required",
  "idempotency_in_progress",
  "length_required",
  "payload_too_large",
  "unsupported_media_type",
  "idempotency_key_reused",
  "acquirer_error",
] as const

/** What every route that creates a charge takes and answers; only its credential differs. */
export const creation = {
  summary: "Create a PIX charge",
  asksAcquirer: true,
  headers: creationHeaders,
  payload: CreateTransaction,
  success: Transaction.pipe(HttpApiSchema.status(201)),
} as const

/** Charges. */
export const transactionsGroup = HttpApiGroup.make("transactions")
  .add(
    route.post("createTransaction", "/v1/transactions", {
      ...creation,
      errors: ["invalid_api_key", ...creationErrors],
    }),
    route.get("getTransaction", "/v1/transactions/:id", {
      summary: "A charge as it is now",
      params: idParams,
      success: Transaction,
      errors: ["invalid_api_key", "resource_not_found"],
    }),
    route.get("listTransactions", "/v1/transactions", {
      summary: "Charges, newest first",
      query: transactionsQuery,
      success: pageOf(Transaction),
      errors: ["validation_failed", "invalid_cursor", "invalid_api_key"],
    }),
  )
  .middleware(ApiKeyAuth)
  .annotate(OpenApi.Description, "PIX charges. Amounts are integers in centavos.")
