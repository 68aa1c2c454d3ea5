import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Delivery, DeliveryDetail } from "../resources/delivery.ts"
import { Event } from "../resources/event.ts"
import { Transaction } from "../resources/transaction.ts"
import { errorsOf, idParams, pageOf } from "./common.ts"
import { deliveriesQuery } from "./deliveries.ts"
import { eventsQuery } from "./events.ts"
import { SellerAuth } from "./security.ts"
import { transactionsQuery } from "./transactions.ts"

const list = ["validation_failed", "invalid_cursor", "session_required", "permission_denied"] as const
const single = ["validation_failed", "session_required", "permission_denied", "resource_not_found"] as const

/** What an API key reads under `/v1`, for a session under `/v1/me` with `X-Mode` (spec 4.2, 4.4; decisions 2). */
export const sessionReadsGroup = HttpApiGroup.make("sessionReads")
  .add(
    HttpApiEndpoint.get("listMyEvents", "/v1/me/events", {
      disableCodecs: true,
      query: eventsQuery,
      success: pageOf(Event),
      error: errorsOf(...list),
    }).annotate(OpenApi.Summary, "Events, newest first"),
    HttpApiEndpoint.get("getMyEvent", "/v1/me/events/:id", {
      disableCodecs: true,
      params: idParams,
      success: Event,
      error: errorsOf(...single),
    }).annotate(OpenApi.Summary, "One event"),
    HttpApiEndpoint.get("listMyDeliveries", "/v1/me/webhook-deliveries", {
      disableCodecs: true,
      query: deliveriesQuery,
      success: pageOf(Delivery),
      error: errorsOf(...list),
    }).annotate(OpenApi.Summary, "Delivery attempts, newest first"),
    HttpApiEndpoint.get("getMyDelivery", "/v1/me/webhook-deliveries/:id", {
      disableCodecs: true,
      params: idParams,
      success: DeliveryDetail,
      error: errorsOf(...single),
    }).annotate(OpenApi.Summary, "One attempt with its request, answer and payload"),
    HttpApiEndpoint.post("retryMyDelivery", "/v1/me/webhook-deliveries/:id/retry", {
      disableCodecs: true,
      params: idParams,
      success: Schema.Struct({ delivery_id: Schema.String }).pipe(HttpApiSchema.status(202)),
      error: errorsOf(...single, "origin_not_allowed", "invalid_state"),
    }).annotate(OpenApi.Summary, "Send a failed delivery again"),
    HttpApiEndpoint.get("listMyTransactions", "/v1/me/transactions", {
      disableCodecs: true,
      query: transactionsQuery,
      success: pageOf(Transaction),
      error: errorsOf(...list),
    }).annotate(OpenApi.Summary, "Charges, newest first"),
    HttpApiEndpoint.get("getMyTransaction", "/v1/me/transactions/:id", {
      disableCodecs: true,
      params: idParams,
      success: Transaction,
      error: errorsOf(...single),
    }).annotate(OpenApi.Summary, "The charge as it is now"),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "What a dashboard reads of a seller's charges, events and deliveries.")
