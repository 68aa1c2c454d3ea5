import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { textOrNull } from "../fields.ts"
import { rolesFor } from "../memberRoles.ts"
import { CreatePixKey, examplePixKey, PixKey, pixKeyStatuses } from "../resources/pixKey.ts"
import { idParams, listOf, modeFilter, pageOf, pageQuery, sellerFilter, statusFilter } from "./common.ts"
import {
  AwaitingSecondOperator,
  decisionFields,
  operatorDecision,
  operatorErrors,
} from "./operatorDecision.ts"
import { route } from "./route.ts"
import { ApiKeyAuth, OperatorAuth, SellerAuth } from "./security.ts"

const session = ["validation_failed", "session_required", "permission_denied"] as const
const change = [...session, "origin_not_allowed", "mfa_required"] as const
const list = listOf(PixKey)

/** The Pix keys that withdrawals can be sent to. */
export const pixKeysGroup = HttpApiGroup.make("pixKeys")
  .add(
    route.get("listPixKeys", "/v1/pix-keys", {
      scope: "withdrawals:read",
      summary: "Verified Pix keys",
      success: list,
      errors: ["invalid_api_key"],
    }),
  )
  .middleware(ApiKeyAuth)
  .annotate(OpenApi.Description, "The Pix keys that withdrawals can be sent to.")

/** A seller's Pix keys; changes always need a step-up (`docs/contract/accounts.md#step-up`). */
export const myPixKeysGroup = HttpApiGroup.make("myPixKeys")
  .add(
    route.post("createPixKey", "/v1/me/pix-keys", {
      roles: rolesFor.payingOut,
      summary: "Register a Pix key; in live mode an operator approves it",
      stepUp: "always",
      payload: CreatePixKey,
      success: PixKey.pipe(HttpApiSchema.status(201)),
      errors: [
        ...change,
        "seller_not_allowed",
        "kyc_required",
        "invalid_state",
        "length_required",
        "payload_too_large",
        "unsupported_media_type",
      ],
    }),
    route.get("listMyPixKeys", "/v1/me/pix-keys", {
      roles: rolesFor.reading,
      summary: "Pix keys in any state",
      success: list,
      errors: [...session],
    }),
    route.delete("deletePixKey", "/v1/me/pix-keys/:id", {
      roles: rolesFor.payingOut,
      summary: "Remove a Pix key",
      stepUp: "always",
      params: idParams,
      success: HttpApiSchema.NoContent,
      errors: [...change, "resource_not_found"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "A seller's Pix keys.")

const PixKeyDecision = Schema.Struct(decisionFields).annotate({
  identifier: "PixKeyDecision",
  examples: [{ reason: "The key is of another holder" }],
})

/** A Pix key for operators: with its seller. */
export const OperatorPixKey = Schema.Struct({
  ...PixKey.fields,
  seller_id: Schema.String.annotateKey({ description: "Whose key it is." }),
  seller_name: textOrNull.annotateKey({ description: "That seller's name." }),
}).annotate({
  identifier: "OperatorPixKey",
  examples: [
    {
      ...examplePixKey,
      mode: "live",
      seller_id: "sel_01KA0000000700000000000000",
      seller_name: "Loja da Ana",
    },
  ],
})
export type OperatorPixKey = typeof OperatorPixKey.Type

const refusal = operatorDecision(PixKeyDecision, OperatorPixKey)
const approval = operatorDecision(PixKeyDecision, [OperatorPixKey, AwaitingSecondOperator])

/** Operators approve and refuse live Pix keys. */
export const operatorPixKeysGroup = HttpApiGroup.make("operatorPixKeys")
  .add(
    route.get("listPixKeysAsOperator", "/v1/admin/pix-keys", {
      summary: "Pix keys of all sellers, newest first; by default live keys that await approval",
      query: {
        ...pageQuery,
        mode: modeFilter,
        seller_id: sellerFilter,
        status: statusFilter(pixKeyStatuses),
      },
      success: pageOf(OperatorPixKey),
      errors: ["validation_failed", "invalid_cursor", ...operatorErrors],
    }),
    route.post("approvePixKey", "/v1/admin/pix-keys/:id/approve", {
      ...approval,
      summary: "Approve a Pix key, so that withdrawals can be sent to it",
      body: "optional",
    }),
    route.post("refusePixKey", "/v1/admin/pix-keys/:id/refuse", {
      ...refusal,
      summary: "Refuse a Pix key",
      body: "optional",
    }),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "Operators decide on Pix keys.")
