import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { InboxRecord, InboxRecordDetail, Receipt } from "../resources/inbox.ts"
import { idParams, pageOf, pageQuery } from "./common.ts"
import { operatorErrors } from "./operatorDecision.ts"
import { Readers } from "./readers.ts"
import { route } from "./route.ts"
import { OperatorAuth } from "./security.ts"

const inbound = {
  params: {
    slug: Schema.String.annotateKey({
      description: "The slug of the acquirer that sends the notice, like `api-pix`.",
    }),
  },
  headers: {
    "x-webhook-signature": Schema.optionalKey(Schema.String).annotateKey({
      description:
        "HMAC-SHA256 of the raw body in hex, under the secret shared with the acquirer; not required where the proxy demands the acquirer's client certificate.",
    }),
  },
  query: {
    hmac: Schema.optionalKey(Schema.String).annotateKey({
      description:
        "The shared secret itself, for acquirers that sign no bodies and call the address they are given, like Efí. A `/pix` behind it, which they append, does no harm.",
    }),
  },
  success: Receipt,
  errors: [
    "validation_failed",
    "invalid_signature",
    "resource_not_found",
    "length_required",
    "payload_too_large",
  ],
} as const

/** Where acquirers send their notices. API Pix appends `/pix` to the address it is given. */
export const inboundGroup = HttpApiGroup.make("inbound")
  .add(
    route.post("receiveNotice", "/v1/webhooks/:slug", {
      ...inbound,
      summary: "Receive an acquirer's notice; its body is stored unchanged",
      body: "raw",
      alsoAt: ["/v1/webhooks/:slug/"],
    }),
    route.post("receivePixNotice", "/v1/webhooks/:slug/pix", {
      ...inbound,
      summary: "The same for API Pix, which appends /pix",
      body: "raw",
      alsoAt: ["/v1/webhooks/:slug/pix/", "/v1/webhooks/:slug//pix", "/v1/webhooks/:slug//pix/"],
    }),
  )
  .annotateEndpoints(Readers, ["partner"])
  .annotate(
    OpenApi.Description,
    "Acquirers report charges and payouts here; each report is confirmed with the acquirer.",
  )

/** The notices received, for operators. */
export const inboxGroup = HttpApiGroup.make("inbox")
  .add(
    route.get("listInbox", "/v1/admin/inbox", {
      summary: "Notices from acquirers, newest first",
      query: {
        ...pageQuery,
        state: Schema.optionalKey(Schema.Literal("unprocessed")).annotateKey({
          description: "`unprocessed`: only those that wait to be confirmed, or were given up.",
        }),
      },
      success: pageOf(InboxRecord),
      errors: ["validation_failed", "invalid_cursor", ...operatorErrors],
    }),
    route.get("getInboxRecord", "/v1/admin/inbox/:id", {
      summary: "One notice with its body and headers",
      params: idParams,
      success: InboxRecordDetail,
      errors: [...operatorErrors, "resource_not_found"],
    }),
    route.post("reprocessInboxRecord", "/v1/admin/inbox/:id/reprocess", {
      summary: "Confirm and apply a notice again, unless its signature was bad",
      params: idParams,
      success: Schema.Record(Schema.String, Schema.Unknown)
        .annotate({ description: "It is under way.", examples: [{}] })
        .pipe(HttpApiSchema.status(202)),
      errors: [...operatorErrors, "resource_not_found", "invalid_state"],
    }),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "Notices from acquirers, and what became of them.")
