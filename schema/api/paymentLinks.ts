import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { rolesFor } from "../memberRoles.ts"
import { ChangePaymentLink, CreatePaymentLink, PaymentLink } from "../resources/paymentLink.ts"
import { flagFilter, idempotencyHeaders, idParams, pageOf, pageQuery } from "./common.ts"
import { route } from "./route.ts"
import { ApiKeyAuth, SellerAuth } from "./security.ts"

const body = ["validation_failed", "length_required", "payload_too_large", "unsupported_media_type"] as const

/** Errors of a request for a link, with either credential. */
const creationErrors = [
  ...body,
  "missing_idempotency_key",
  "invalid_url",
  "seller_not_allowed",
  "kyc_required",
  "invalid_state",
  "idempotency_in_progress",
  "idempotency_key_reused",
] as const
const changeErrors = [...body, "invalid_url", "resource_not_found"] as const

const creation = {
  summary: "Create a payment link",
  headers: idempotencyHeaders,
  payload: CreatePaymentLink,
  success: PaymentLink.pipe(HttpApiSchema.status(201)),
} as const
const change = {
  summary: "Change a payment link, or switch it off and on",
  params: idParams,
  payload: ChangePaymentLink,
  success: PaymentLink,
} as const
const single = { summary: "A payment link as it is now", params: idParams, success: PaymentLink } as const
const list = {
  summary: "Payment links, newest first",
  query: { ...pageQuery, active: flagFilter("Only those that are switched on, or off.") },
  success: pageOf(PaymentLink),
} as const

/** Payment links. */
export const paymentLinksGroup = HttpApiGroup.make("paymentLinks")
  .add(
    route.post("createPaymentLink", "/v1/payment-links", {
      scope: "charges:write",
      ...creation,
      errors: ["invalid_api_key", ...creationErrors],
    }),
    route.get("listPaymentLinks", "/v1/payment-links", {
      scope: "charges:read",
      ...list,
      errors: ["validation_failed", "invalid_cursor", "invalid_api_key"],
    }),
    route.get("getPaymentLink", "/v1/payment-links/:id", {
      scope: "charges:read",
      ...single,
      errors: ["invalid_api_key", "resource_not_found"],
    }),
    route.patch("changePaymentLink", "/v1/payment-links/:id", {
      scope: "charges:write",
      ...change,
      errors: ["invalid_api_key", ...changeErrors],
    }),
  )
  .middleware(ApiKeyAuth)
  .annotate(OpenApi.Description, "One address at which many pay. Amounts are integers in centavos.")

const session = ["validation_failed", "session_required", "permission_denied"] as const

/** The same for a session with `X-Mode`. */
export const sessionPaymentLinksGroup = HttpApiGroup.make("sessionPaymentLinks")
  .add(
    route.post("createMyPaymentLink", "/v1/me/payment-links", {
      roles: rolesFor.charging,
      ...creation,
      errors: ["session_required", "permission_denied", "origin_not_allowed", ...creationErrors],
    }),
    route.get("listMyPaymentLinks", "/v1/me/payment-links", {
      roles: rolesFor.reading,
      ...list,
      errors: [...session, "invalid_cursor"],
    }),
    route.get("getMyPaymentLink", "/v1/me/payment-links/:id", {
      roles: rolesFor.reading,
      ...single,
      errors: [...session, "resource_not_found"],
    }),
    route.patch("changeMyPaymentLink", "/v1/me/payment-links/:id", {
      roles: rolesFor.charging,
      ...change,
      errors: ["session_required", "permission_denied", "origin_not_allowed", ...changeErrors],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "A seller's payment links, for a dashboard.")
