import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { attemptStatuses, Delivery, DeliveryDetail } from "../resources/delivery.ts"
import { DeliveryId, idParams, pageOf, pageQuery, statusFilter, windowQuery } from "./common.ts"
import { route } from "./route.ts"
import { ApiKeyAuth } from "./security.ts"

const filter = Schema.optionalKey(Schema.String.check(Schema.isMinLength(1)))

/** Which deliveries a list is of (`docs/contract/deliveries.md#list`). */
export const deliveryFilters = {
  ...windowQuery,
  endpoint_id: filter.annotateKey({ description: "Only deliveries to this webhook endpoint." }),
  event_id: filter.annotateKey({ description: "Only deliveries of this event." }),
  resource_id: filter.annotateKey({ description: "Only deliveries of this resource's events." }),
  event_type: filter.annotateKey({ description: "Only deliveries of this event type." }),
  status: statusFilter(attemptStatuses),
}

/** A page of a list of deliveries. */
export const deliveriesQuery = { ...pageQuery, ...deliveryFilters }

/** Webhook deliveries: one row per attempt. */
export const deliveriesGroup = HttpApiGroup.make("deliveries")
  .add(
    route.get("listDeliveries", "/v1/webhook-deliveries", {
      scope: "deliveries:read",
      summary: "Delivery attempts, newest first",
      query: deliveriesQuery,
      success: pageOf(Delivery),
      errors: ["validation_failed", "invalid_cursor", "invalid_api_key"],
    }),
    route.get("getDelivery", "/v1/webhook-deliveries/:id", {
      scope: "deliveries:read",
      summary: "One attempt with its request, response and payload",
      params: idParams,
      success: DeliveryDetail,
      errors: ["invalid_api_key", "resource_not_found"],
    }),
    route.post("retryDelivery", "/v1/webhook-deliveries/:id/retry", {
      scope: "deliveries:write",
      summary: "Send a failed delivery again",
      params: idParams,
      success: DeliveryId.pipe(HttpApiSchema.status(202)),
      errors: ["invalid_api_key", "resource_not_found", "invalid_state"],
    }),
  )
  .middleware(ApiKeyAuth)
  .annotate(OpenApi.Description, "Signed webhook deliveries, one row per attempt.")
