import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AuditEntry, Invite, inviteStatuses } from "../resources/operator.ts"
import { kycStatuses, SellerProfile, SellerSettingsPatch, sellerStatuses } from "../resources/seller.ts"
import { Email } from "../resources/transaction.ts"
import { DateTimeText, errorsOf, idParams, pageOf, pageQuery } from "./common.ts"
import { decisionFields, operatorErrors } from "./operatorDecision.ts"
import { OperatorAuth } from "./security.ts"

const body = ["validation_failed", "length_required", "payload_too_large", "unsupported_media_type"] as const
const { reason } = decisionFields

/** Invites (decisions 4). */
export const invitesGroup = HttpApiGroup.make("invites")
  .add(
    HttpApiEndpoint.post("createInvite", "/v1/admin/invites", {
      disableCodecs: true,
      payload: Schema.Struct({ email: Email }).annotate({ identifier: "CreateInvite" }),
      success: Invite.pipe(HttpApiSchema.status(201)),
      error: errorsOf(...body, ...operatorErrors, "invalid_state"),
    }).annotate(OpenApi.Summary, "Invite somebody to sign up, by mail"),
    HttpApiEndpoint.get("listInvites", "/v1/admin/invites", {
      disableCodecs: true,
      query: { ...pageQuery, status: Schema.optionalKey(Schema.Literals(inviteStatuses)) },
      success: pageOf(Invite),
      error: errorsOf("validation_failed", "invalid_cursor", ...operatorErrors),
    }).annotate(OpenApi.Summary, "Invites, newest first"),
    HttpApiEndpoint.delete("revokeInvite", "/v1/admin/invites/:id", {
      disableCodecs: true,
      params: idParams,
      success: HttpApiSchema.NoContent,
      error: errorsOf(...operatorErrors, "resource_not_found", "invalid_state"),
    }).annotate(OpenApi.Summary, "Revoke an invite that was not used"),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "Operators invite sellers.")

/** What operators do (decisions 4); every act is appended to the `audit` stream. */
export const adminGroup = HttpApiGroup.make("admin")
  .add(
    HttpApiEndpoint.get("listSellers", "/v1/admin/sellers", {
      disableCodecs: true,
      query: {
        ...pageQuery,
        status: Schema.optionalKey(Schema.Literals(sellerStatuses)),
        kyc_status: Schema.optionalKey(Schema.Literals(kycStatuses)),
      },
      success: pageOf(SellerProfile),
      error: errorsOf("validation_failed", "invalid_cursor", ...operatorErrors),
    }).annotate(OpenApi.Summary, "Sellers, newest first"),
    HttpApiEndpoint.get("getSellerAsOperator", "/v1/admin/sellers/:id", {
      disableCodecs: true,
      params: idParams,
      success: SellerProfile,
      error: errorsOf(...operatorErrors, "resource_not_found"),
    }).annotate(OpenApi.Summary, "One seller"),
    HttpApiEndpoint.post("decideKyc", "/v1/admin/sellers/:id/kyc", {
      disableCodecs: true,
      params: idParams,
      payload: Schema.Struct({ status: Schema.Literals(["approved", "rejected"]), reason }).annotate({
        identifier: "KycDecision",
      }),
      success: SellerProfile,
      error: errorsOf(...body, ...operatorErrors, "resource_not_found", "invalid_state"),
    }).annotate(OpenApi.Summary, "Approve or reject a seller's identification"),
    HttpApiEndpoint.post("setSellerStatus", "/v1/admin/sellers/:id/status", {
      disableCodecs: true,
      params: idParams,
      payload: Schema.Struct({ status: Schema.Literals(sellerStatuses), reason }).annotate({
        identifier: "SellerStatusChange",
      }),
      success: SellerProfile,
      error: errorsOf(...body, ...operatorErrors, "resource_not_found"),
    }).annotate(OpenApi.Summary, "Suspend a seller, or let it operate again"),
    HttpApiEndpoint.post("lockPayouts", "/v1/admin/sellers/:id/payout-lock", {
      disableCodecs: true,
      params: idParams,
      payload: Schema.Struct({ until: Schema.NullOr(DateTimeText), reason }).annotate({
        identifier: "PayoutLock",
      }),
      success: SellerProfile,
      error: errorsOf(...body, ...operatorErrors, "resource_not_found"),
    }).annotate(OpenApi.Summary, "Lock a seller's withdrawals until then; null unlocks"),
    HttpApiEndpoint.patch("patchSellerSettings", "/v1/admin/sellers/:id/settings", {
      disableCodecs: true,
      params: idParams,
      payload: SellerSettingsPatch,
      success: SellerProfile,
      error: errorsOf(...body, ...operatorErrors, "resource_not_found"),
    }).annotate(OpenApi.Summary, "Change a seller's fees, limits and approval"),
    HttpApiEndpoint.get("listAudit", "/v1/admin/audit", {
      disableCodecs: true,
      query: pageQuery,
      success: pageOf(AuditEntry),
      error: errorsOf("validation_failed", "invalid_cursor", ...operatorErrors),
    }).annotate(OpenApi.Summary, "Acts of operators, newest first"),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "Operators' routes.")
