import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CreateTransaction, Transaction, transactionStatuses } from "../resources/transaction.ts"
import { AsksPartner, errorsOf, idParams, pageOf, pageQuery, windowQuery } from "./common.ts"
import { ApiKeyAuth } from "./security.ts"

/** What a list of charges may be asked for (decisions 2). */
export const transactionsQuery = {
  ...pageQuery,
  ...windowQuery,
  status: Schema.optionalKey(Schema.Literals(transactionStatuses)),
}

/** Charges (spec 4.1; the list by decisions 2). */
export const transactionsGroup = HttpApiGroup.make("transactions")
  .add(
    HttpApiEndpoint.post("createTransaction", "/v1/transactions", {
      disableCodecs: true,
      headers: { "idempotency-key": Schema.String },
      payload: CreateTransaction,
      success: Transaction.pipe(HttpApiSchema.status(201)),
      error: errorsOf(
        "validation_failed",
        "missing_idempotency_key",
        "invalid_url",
        "invalid_api_key",
        "seller_not_allowed",
        "kyc_required",
        "idempotency_in_progress",
        "length_required",
        "payload_too_large",
        "unsupported_media_type",
        "idempotency_key_reused",
        "acquirer_error",
      ),
    })
      .annotate(OpenApi.Summary, "Create a PIX charge")
      .annotate(AsksPartner, true),
    HttpApiEndpoint.get("getTransaction", "/v1/transactions/:id", {
      disableCodecs: true,
      params: idParams,
      success: Transaction,
      error: errorsOf("invalid_api_key", "resource_not_found"),
    }).annotate(OpenApi.Summary, "The charge as it is now"),
    HttpApiEndpoint.get("listTransactions", "/v1/transactions", {
      disableCodecs: true,
      query: transactionsQuery,
      success: pageOf(Transaction),
      error: errorsOf("validation_failed", "invalid_cursor", "invalid_api_key"),
    }).annotate(OpenApi.Summary, "Charges, newest first"),
  )
  .middleware(ApiKeyAuth)
  .annotate(OpenApi.Description, "PIX charges. Amounts are integers in centavos.")
