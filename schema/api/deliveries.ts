import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { attemptStatuses, Delivery, DeliveryDetail } from "../resources/delivery.ts"
import { errorsOf, idParams, pageOf, pageQuery, windowQuery } from "./common.ts"
import { ApiKeyAuth } from "./security.ts"

const filter = Schema.optionalKey(Schema.String.check(Schema.isMinLength(1)))

/** What a list of deliveries may be asked for (spec 4.4). */
export const deliveriesQuery = {
  ...pageQuery,
  ...windowQuery,
  endpoint_id: filter,
  event_id: filter,
  event_type: filter,
  status: Schema.optionalKey(Schema.Literals(attemptStatuses)),
}

/** Webhook deliveries, one row per attempt (spec 4.4). */
export const deliveriesGroup = HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("listDeliveries", "/v1/webhook-deliveries", {
      disableCodecs: true,
      query: deliveriesQuery,
      success: pageOf(Delivery),
      error: errorsOf("validation_failed", "invalid_cursor", "invalid_api_key"),
    }).annotate(OpenApi.Summary, "Delivery attempts, newest first"),
    HttpApiEndpoint.get("getDelivery", "/v1/webhook-deliveries/:id", {
      disableCodecs: true,
      params: idParams,
      success: DeliveryDetail,
      error: errorsOf("invalid_api_key", "resource_not_found"),
    }).annotate(OpenApi.Summary, "One attempt with its request, answer and payload"),
    HttpApiEndpoint.post("retryDelivery", "/v1/webhook-deliveries/:id/retry", {
      disableCodecs: true,
      params: idParams,
      success: Schema.Struct({ delivery_id: Schema.String }).pipe(HttpApiSchema.status(202)),
      error: errorsOf("invalid_api_key", "resource_not_found", "invalid_state"),
    }).annotate(OpenApi.Summary, "Send a failed delivery again"),
  )
  .middleware(ApiKeyAuth)
  .annotate(OpenApi.Description, "Signed webhook deliveries: every attempt is a row of its own.")
