import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { modes } from "../ids.ts"
import { ApiKey, ApiKeyName, NewApiKey, RotatedApiKey } from "../resources/apiKey.ts"
import { errorsOf, idParams } from "./common.ts"
import { SellerAuth, StepUp } from "./security.ts"

const change = ["session_required", "origin_not_allowed", "permission_denied", "mfa_required"] as const

/** API keys. `X-Mode` says whose are listed and deleted; the body names a new key's mode, and a rotated one keeps its own. */
export const apiKeysGroup = HttpApiGroup.make("apiKeys")
  .add(
    HttpApiEndpoint.get("listApiKeys", "/v1/me/api-keys", {
      disableCodecs: true,
      success: Schema.Struct({ data: Schema.Array(ApiKey) }),
      error: errorsOf("validation_failed", "session_required", "permission_denied"),
    }).annotate(OpenApi.Summary, "A mode's active API keys, newest first"),
    HttpApiEndpoint.post("createApiKey", "/v1/me/api-keys", {
      disableCodecs: true,
      payload: Schema.Struct({ name: ApiKeyName, mode: Schema.Literals(modes) }).annotate({
        identifier: "CreateApiKey",
      }),
      success: NewApiKey.pipe(HttpApiSchema.status(201)),
      error: errorsOf(
        "validation_failed",
        ...change,
        "kyc_required",
        "invalid_state",
        "length_required",
        "payload_too_large",
        "unsupported_media_type",
      ),
    })
      .annotate(OpenApi.Summary, "Create an API key")
      .annotate(StepUp, "account"),
    HttpApiEndpoint.post("rotateApiKey", "/v1/me/api-keys/:id/rotate", {
      disableCodecs: true,
      params: idParams,
      success: RotatedApiKey.pipe(HttpApiSchema.status(201)),
      error: errorsOf("validation_failed", ...change, "kyc_required", "resource_not_found", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Make a new key; the old one ends in 24 h")
      .annotate(StepUp, "account"),
    HttpApiEndpoint.delete("deleteApiKey", "/v1/me/api-keys/:id", {
      disableCodecs: true,
      params: idParams,
      success: HttpApiSchema.NoContent,
      error: errorsOf("validation_failed", ...change, "resource_not_found"),
    })
      .annotate(OpenApi.Summary, "Revoke an API key at once")
      .annotate(StepUp, "account"),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "API keys of a seller.")
