import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { rolesFor } from "../memberRoles.ts"
import { SendReceipt } from "../resources/receipt.ts"
import { idParams, Status } from "./common.ts"
import { localeQuery } from "./exports.ts"
import { route } from "./route.ts"
import { ApiKeyAuth, SellerAuth } from "./security.ts"

/** What every route of a receipt's PDF takes and answers; only its credential differs. */
const pdf = {
  params: idParams,
  query: { locale: localeQuery.locale.annotateKey({ description: "The receipt's language." }) },
  success: Schema.Uint8Array.annotate({ description: "The receipt, a page of A4." }).pipe(
    HttpApiSchema.asUint8Array({ contentType: "application/pdf" }),
  ),
} as const

/** What every route that mails a receipt takes and answers. */
const mail = {
  params: idParams,
  payload: SendReceipt,
  success: Status.pipe(HttpApiSchema.status(202)),
} as const

const found = ["validation_failed", "resource_not_found", "invalid_state"] as const
const mailed = [
  ...found,
  "rate_limited",
  "length_required",
  "payload_too_large",
  "unsupported_media_type",
] as const

/** Receipts (`docs/contract/receipts.md`). */
export const receiptsGroup = HttpApiGroup.make("receipts")
  .add(
    route.post("sendTransactionReceipt", "/v1/transactions/:id/receipt/send", {
      scope: "charges:write",
      ...mail,
      summary: "Mail the receipt of a paid charge",
      errors: ["invalid_api_key", ...mailed],
    }),
    route.get("getRefundReceipt", "/v1/refunds/:id/receipt.pdf", {
      scope: "charges:read",
      ...pdf,
      summary: "The receipt of a refund that has succeeded",
      errors: ["invalid_api_key", ...found],
    }),
    route.post("sendRefundReceipt", "/v1/refunds/:id/receipt/send", {
      scope: "refunds:write",
      ...mail,
      summary: "Mail the receipt of a refund that has succeeded",
      errors: ["invalid_api_key", ...mailed],
    }),
    route.get("getWithdrawalReceipt", "/v1/withdrawals/:id/receipt.pdf", {
      scope: "withdrawals:read",
      ...pdf,
      summary: "The receipt of a withdrawal that has arrived",
      errors: ["invalid_api_key", ...found],
    }),
    route.post("sendWithdrawalReceipt", "/v1/withdrawals/:id/receipt/send", {
      scope: "withdrawals:write",
      ...mail,
      summary: "Mail the receipt of a withdrawal that has arrived",
      errors: ["invalid_api_key", ...mailed],
    }),
  )
  .middleware(ApiKeyAuth)
  .annotate(OpenApi.Description, "Receipts of payments, refunds and withdrawals: as PDFs, and by mail.")

const session = ["session_required", "permission_denied"] as const

/** The same for a session with `X-Mode`. */
export const sessionReceiptsGroup = HttpApiGroup.make("sessionReceipts")
  .add(
    route.post("sendMyTransactionReceipt", "/v1/me/transactions/:id/receipt/send", {
      roles: rolesFor.serving,
      ...mail,
      summary: "Mail the receipt of a paid charge",
      errors: [...session, "origin_not_allowed", ...mailed],
    }),
    route.get("getMyRefundReceipt", "/v1/me/refunds/:id/receipt.pdf", {
      roles: rolesFor.reading,
      ...pdf,
      summary: "The receipt of a refund that has succeeded",
      errors: [...session, ...found],
    }),
    route.post("sendMyRefundReceipt", "/v1/me/refunds/:id/receipt/send", {
      roles: rolesFor.serving,
      ...mail,
      summary: "Mail the receipt of a refund that has succeeded",
      errors: [...session, "origin_not_allowed", ...mailed],
    }),
    route.get("getMyWithdrawalReceipt", "/v1/me/withdrawals/:id/receipt.pdf", {
      roles: rolesFor.reading,
      ...pdf,
      summary: "The receipt of a withdrawal that has arrived",
      errors: [...session, ...found],
    }),
    route.post("sendMyWithdrawalReceipt", "/v1/me/withdrawals/:id/receipt/send", {
      roles: rolesFor.serving,
      ...mail,
      summary: "Mail the receipt of a withdrawal that has arrived",
      errors: [...session, "origin_not_allowed", ...mailed],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "A seller's receipts, for a dashboard.")
