import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { apiKeyScopes } from "../apiKeyScopes.ts"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { rolesFor } from "../memberRoles.ts"
import { ApiKey, ApiKeyName, ApiKeyScopes, NewApiKey, RotatedApiKey } from "../resources/apiKey.ts"
import { idParams, listOf } from "./common.ts"
import { route } from "./route.ts"
import { SellerAuth } from "./security.ts"

const change = ["session_required", "origin_not_allowed", "permission_denied", "mfa_required"] as const

/**
 * API keys. `X-Mode` selects the keys to list and delete; a new key's mode is in the body, and a rotated key keeps
 * its own.
 */
export const apiKeysGroup = HttpApiGroup.make("apiKeys")
  .add(
    route.get("listApiKeys", "/v1/me/api-keys", {
      roles: rolesFor.reading,
      summary: "A mode's active API keys, newest first",
      success: listOf(ApiKey),
      errors: ["validation_failed", "session_required", "permission_denied"],
    }),
    route.post("createApiKey", "/v1/me/api-keys", {
      roles: rolesFor.integrating,
      summary: "Create an API key",
      stepUp: "account",
      payload: Schema.Struct({
        name: ApiKeyName.annotateKey({ description: "For yourself." }),
        mode: Schema.Literals(modes).annotateKey({
          description: "The key's mode; `X-Mode` is ignored. `live` requires an approved KYC.",
        }),
        scopes: Schema.optionalKey(
          ApiKeyScopes.check(Schema.isBetweenLength(1, apiKeyScopes.length)),
        ).annotateKey({ description: "What the key may do; everything by default." }),
        allowed_ips: Schema.optionalKey(
          Schema.Array(Schema.String).check(Schema.isMaxLength(limits.apiKeyAddressesMax)),
        ).annotateKey({
          description: `Up to ${limits.apiKeyAddressesMax} addresses or CIDR ranges, IPv4 or IPv6, that the key works from; from anywhere by default.`,
        }),
      }).annotate({
        identifier: "CreateApiKey",
        examples: [
          {
            name: "Checkout",
            mode: "test",
            scopes: ["charges:read", "charges:write"],
            allowed_ips: ["203.0.113.0/24", "2001:db8::7"],
          },
        ],
      }),
      success: NewApiKey.pipe(HttpApiSchema.status(201)),
      errors: [
        "validation_failed",
        ...change,
        "seller_not_allowed",
        "kyc_required",
        "invalid_state",
        "length_required",
        "payload_too_large",
        "unsupported_media_type",
      ],
    }),
    route.post("rotateApiKey", "/v1/me/api-keys/:id/rotate", {
      roles: rolesFor.integrating,
      summary: "Replace an API key; the old one ends in 24 h",
      stepUp: "account",
      params: idParams,
      success: RotatedApiKey.pipe(HttpApiSchema.status(201)),
      errors: [
        "validation_failed",
        ...change,
        "seller_not_allowed",
        "kyc_required",
        "resource_not_found",
        "invalid_state",
      ],
    }),
    route.delete("deleteApiKey", "/v1/me/api-keys/:id", {
      roles: rolesFor.integrating,
      summary: "Revoke an API key immediately",
      stepUp: "account",
      params: idParams,
      success: HttpApiSchema.NoContent,
      errors: ["validation_failed", ...change, "resource_not_found"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "API keys of a seller.")
