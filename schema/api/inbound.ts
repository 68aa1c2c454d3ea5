import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { InboxRecord, InboxRecordDetail, Receipt } from "../resources/inbox.ts"
import { errorsOf, idParams, pageOf, pageQuery, RawBody } from "./common.ts"
import { operatorErrors } from "./operatorDecision.ts"
import { OperatorAuth } from "./security.ts"

const inbound = {
  disableCodecs: true,
  params: { slug: Schema.String },
  headers: { "x-webhook-signature": Schema.optionalKey(Schema.String) },
  success: Receipt,
  error: errorsOf(
    "validation_failed",
    "invalid_signature",
    "resource_not_found",
    "length_required",
    "payload_too_large",
  ),
} as const

/** Where payment partners send their webhooks (decisions 3). API Pix appends `/pix` to the address it is given. */
export const inboundGroup = HttpApiGroup.make("inbound")
  .add(
    HttpApiEndpoint.post("receiveNotice", "/v1/webhooks/:slug", inbound)
      .annotate(OpenApi.Summary, "A partner's webhook; its body is kept as it is")
      .annotate(RawBody, true),
    HttpApiEndpoint.post("receivePixNotice", "/v1/webhooks/:slug/pix", inbound)
      .annotate(OpenApi.Summary, "The same where API Pix appends /pix")
      .annotate(RawBody, true),
  )
  .annotate(OpenApi.Description, "Payment partners tell of charges and payouts here; each is confirmed.")

/** What partners told, for operators (decisions 4). */
export const inboxGroup = HttpApiGroup.make("inbox")
  .add(
    HttpApiEndpoint.get("listInbox", "/v1/admin/inbox", {
      disableCodecs: true,
      query: { ...pageQuery, state: Schema.optionalKey(Schema.Literal("unprocessed")) },
      success: pageOf(InboxRecord),
      error: errorsOf("validation_failed", "invalid_cursor", ...operatorErrors),
    }).annotate(OpenApi.Summary, "Partners' webhooks, newest first"),
    HttpApiEndpoint.get("getInboxRecord", "/v1/admin/inbox/:id", {
      disableCodecs: true,
      params: idParams,
      success: InboxRecordDetail,
      error: errorsOf(...operatorErrors, "resource_not_found"),
    }).annotate(OpenApi.Summary, "One of them with what was received"),
    HttpApiEndpoint.post("reprocessInboxRecord", "/v1/admin/inbox/:id/reprocess", {
      disableCodecs: true,
      params: idParams,
      success: Schema.Struct({}).pipe(HttpApiSchema.status(202)),
      error: errorsOf(...operatorErrors, "resource_not_found", "invalid_state"),
    }).annotate(OpenApi.Summary, "Confirm and apply it again; never one with a bad signature"),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "What payment partners told, and what became of it.")
