import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { rolesFor } from "../memberRoles.ts"
import { CatalogEvent } from "../resources/catalogEvent.ts"
import { Delivery, DeliveryDetail } from "../resources/delivery.ts"
import { Transaction } from "../resources/transaction.ts"
import { DeliveryId, idParams, pageOf } from "./common.ts"
import { deliveriesQuery } from "./deliveries.ts"
import { EventCatalog, eventsQuery } from "./events.ts"
import { route } from "./route.ts"
import { SellerAuth } from "./security.ts"
import {
  creation,
  creationErrors,
  ExportCharges,
  listedTransaction,
  transactionExport,
  transactionsQuery,
  transactionTotals,
} from "./transactions.ts"

const list = ["validation_failed", "invalid_cursor", "session_required", "permission_denied"] as const
const single = ["validation_failed", "session_required", "permission_denied", "resource_not_found"] as const

/** What an API key does with charges, events and deliveries under `/v1`, for a session under `/v1/me` with `X-Mode`. */
export const sessionReadsGroup = HttpApiGroup.make("sessionReads")
  .add(
    route.get("listMyEvents", "/v1/me/events", {
      roles: rolesFor.reading,
      summary: "Events, newest first",
      query: eventsQuery,
      success: pageOf(CatalogEvent),
      errors: [...list],
    }),
    route.get("getMyEvent", "/v1/me/events/:id", {
      roles: rolesFor.reading,
      summary: "One event",
      params: idParams,
      success: CatalogEvent,
      errors: [...single],
    }),
    route.get("listMyEventTypes", "/v1/me/event-types", {
      roles: rolesFor.reading,
      summary: "The catalog of event types, each with a JSON Schema and an example",
      success: EventCatalog,
      errors: ["validation_failed", "session_required", "permission_denied"],
    }),
    route.get("listMyDeliveries", "/v1/me/webhook-deliveries", {
      roles: rolesFor.reading,
      summary: "Delivery attempts, newest first",
      query: deliveriesQuery,
      success: pageOf(Delivery),
      errors: [...list],
    }),
    route.get("getMyDelivery", "/v1/me/webhook-deliveries/:id", {
      roles: rolesFor.reading,
      summary: "One attempt with its request, response and payload",
      params: idParams,
      success: DeliveryDetail,
      errors: [...single],
    }),
    route.post("retryMyDelivery", "/v1/me/webhook-deliveries/:id/retry", {
      roles: rolesFor.integrating,
      summary: "Send a failed delivery again",
      params: idParams,
      success: DeliveryId.pipe(HttpApiSchema.status(202)),
      errors: [...single, "origin_not_allowed", "invalid_state"],
    }),
    route.post("createMyTransaction", "/v1/me/transactions", {
      roles: rolesFor.charging,
      ...creation,
      errors: ["session_required", "permission_denied", "origin_not_allowed", ...creationErrors],
    }),
    route.get("listMyTransactions", "/v1/me/transactions", {
      roles: rolesFor.reading,
      summary: "Charges, newest first",
      query: transactionsQuery,
      success: pageOf(listedTransaction),
      errors: [...list],
    }),
    route.get("exportMyTransactions", "/v1/me/transactions/export", {
      roles: rolesFor.reading,
      ...transactionExport,
      errors: ["validation_failed", "session_required", "permission_denied", "rate_limited"],
    }),
    route.post("exportChosenTransactions", "/v1/me/transactions/export", {
      roles: rolesFor.reading,
      summary: "A file of the charges of these ids, newest first",
      payload: ExportCharges,
      success: transactionExport.success,
      errors: [
        ...["validation_failed", "session_required", "permission_denied", "origin_not_allowed"],
        ...["length_required", "payload_too_large", "unsupported_media_type", "rate_limited"],
      ] as const,
    }),
    route.get("summarizeMyTransactions", "/v1/me/transactions/summary", {
      roles: rolesFor.reading,
      ...transactionTotals,
      errors: ["validation_failed", "session_required", "permission_denied"],
    }),
    route.get("getMyTransaction", "/v1/me/transactions/:id", {
      roles: rolesFor.reading,
      summary: "A charge as it is now",
      params: idParams,
      success: Transaction,
      errors: [...single],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "A seller's charges, events and deliveries, for a dashboard.")
