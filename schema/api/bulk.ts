import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { rolesFor } from "../memberRoles.ts"
import { Bulk, CreateBulk } from "../resources/bulk.ts"
import { idempotencyHeaders, idParams } from "./common.ts"
import { route } from "./route.ts"
import { SellerAuth } from "./security.ts"

/** One act on many rows, for a session with `X-Mode`. */
export const bulkGroup = HttpApiGroup.make("bulk")
  .add(
    route.post("createBulk", "/v1/me/bulk", {
      roles: rolesFor.actingOnMany,
      summary: "Do one act to up to 1,000 charges, deliveries or withdrawals",
      headers: idempotencyHeaders,
      payload: CreateBulk,
      success: Bulk.pipe(HttpApiSchema.status(202)),
      errors: [
        "validation_failed",
        "missing_idempotency_key",
        "session_required",
        "permission_denied",
        "origin_not_allowed",
        "mfa_required",
        "seller_not_allowed",
        "kyc_required",
        "invalid_event_type",
        "invalid_state",
        "idempotency_in_progress",
        "length_required",
        "payload_too_large",
        "unsupported_media_type",
        "idempotency_key_reused",
      ],
    }),
    route.get("getBulk", "/v1/me/bulk/:id", {
      roles: rolesFor.reading,
      summary: "A bulk act as it is now",
      params: idParams,
      success: Bulk,
      errors: ["validation_failed", "session_required", "permission_denied", "resource_not_found"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(
    OpenApi.Description,
    "One act on many rows: each as by itself, and goes on if the process that does it dies.",
  )
