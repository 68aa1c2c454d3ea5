import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { modes } from "../ids.ts"
import { CreatePixKey, PixKey, pixKeyStatuses } from "../resources/pixKey.ts"
import { errorsOf, idParams, OptionalBody, pageOf, pageQuery } from "./common.ts"
import { decisionFields, operatorDecision, operatorErrors } from "./operatorDecision.ts"
import { ApiKeyAuth, OperatorAuth, SellerAuth, StepUp } from "./security.ts"

const session = ["validation_failed", "session_required", "permission_denied"] as const
const change = [...session, "origin_not_allowed", "mfa_required"] as const
const list = Schema.Struct({ data: Schema.Array(PixKey) })

/** What withdrawals can be sent to (spec 4.1). */
export const pixKeysGroup = HttpApiGroup.make("pixKeys")
  .add(
    HttpApiEndpoint.get("listPixKeys", "/v1/pix-keys", {
      disableCodecs: true,
      success: list,
      error: errorsOf("invalid_api_key"),
    }).annotate(OpenApi.Summary, "Verified and active PIX keys"),
  )
  .middleware(ApiKeyAuth)
  .annotate(OpenApi.Description, "The PIX keys that withdrawals can be sent to.")

/** A seller's PIX keys (decisions 3); changes are always confirmed (spec 5.3). */
export const myPixKeysGroup = HttpApiGroup.make("myPixKeys")
  .add(
    HttpApiEndpoint.post("createPixKey", "/v1/me/pix-keys", {
      disableCodecs: true,
      payload: CreatePixKey,
      success: PixKey.pipe(HttpApiSchema.status(201)),
      error: errorsOf(
        ...change,
        "kyc_required",
        "invalid_state",
        "length_required",
        "payload_too_large",
        "unsupported_media_type",
      ),
    })
      .annotate(OpenApi.Summary, "Register a PIX key; in live an operator approves it")
      .annotate(StepUp, "always"),
    HttpApiEndpoint.get("listMyPixKeys", "/v1/me/pix-keys", {
      disableCodecs: true,
      success: list,
      error: errorsOf(...session),
    }).annotate(OpenApi.Summary, "PIX keys, those that wait or were refused too"),
    HttpApiEndpoint.delete("deletePixKey", "/v1/me/pix-keys/:id", {
      disableCodecs: true,
      params: idParams,
      success: HttpApiSchema.NoContent,
      error: errorsOf(...change, "resource_not_found"),
    })
      .annotate(OpenApi.Summary, "Remove a PIX key")
      .annotate(StepUp, "always"),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "A seller's PIX keys.")

const PixKeyDecision = Schema.Struct(decisionFields).annotate({ identifier: "PixKeyDecision" })

/** A PIX key as operators see it: with whose it is. */
export const OperatorPixKey = Schema.Struct({ ...PixKey.fields, seller_id: Schema.String }).annotate({
  identifier: "OperatorPixKey",
})
export type OperatorPixKey = typeof OperatorPixKey.Type

const decision = operatorDecision(PixKeyDecision, OperatorPixKey)

/** Operators decide on live keys (decisions 4). */
export const operatorPixKeysGroup = HttpApiGroup.make("operatorPixKeys")
  .add(
    HttpApiEndpoint.get("listPixKeysAsOperator", "/v1/admin/pix-keys", {
      disableCodecs: true,
      query: {
        ...pageQuery,
        mode: Schema.optionalKey(Schema.Literals(modes)),
        status: Schema.optionalKey(Schema.Literals(pixKeyStatuses)),
      },
      success: pageOf(OperatorPixKey),
      error: errorsOf("validation_failed", "invalid_cursor", ...operatorErrors),
    }).annotate(OpenApi.Summary, "All sellers' PIX keys, newest first: live ones that await approval"),
    HttpApiEndpoint.post("approvePixKey", "/v1/admin/pix-keys/:id/approve", decision)
      .annotate(OpenApi.Summary, "Approve a PIX key: withdrawals can be sent to it")
      .annotate(OptionalBody, true),
    HttpApiEndpoint.post("refusePixKey", "/v1/admin/pix-keys/:id/refuse", decision)
      .annotate(OpenApi.Summary, "Refuse a PIX key")
      .annotate(OptionalBody, true),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "Operators decide on PIX keys.")
