import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { DisplayName } from "../resources/account.ts"
import { AuditEntry, Invite, inviteStatuses } from "../resources/operator.ts"
import { kycStatuses, SellerProfile, SellerSettingsPatch, sellerStatuses } from "../resources/seller.ts"
import { Email } from "../resources/transaction.ts"
import { DateTimeText, idParams, pageOf, pageQuery, statusFilter } from "./common.ts"
import { SearchText } from "./insights.ts"
import { AwaitingSecondOperator, decisionFields, operatorErrors } from "./operatorDecision.ts"
import { route } from "./route.ts"
import { OperatorAuth } from "./security.ts"
import { auditCsvOf, auditHeaders, auditQuery } from "./sellerAudit.ts"

const body = ["validation_failed", "length_required", "payload_too_large", "unsupported_media_type"] as const
const { reason } = decisionFields

/** Operators invite people to sign up. */
export const invitesGroup = HttpApiGroup.make("invites")
  .add(
    route.post("createInvite", "/v1/admin/invites", {
      summary: "Invite someone to sign up, by e-mail",
      payload: Schema.Struct({
        email: Email.annotateKey({ description: "Who is invited." }),
      }).annotate({
        identifier: "CreateInvite",
        examples: [{ email: "ana@example.com" }],
      }),
      success: Invite.pipe(HttpApiSchema.status(201)),
      errors: [...body, ...operatorErrors, "invalid_state"],
    }),
    route.get("listInvites", "/v1/admin/invites", {
      summary: "Invites, newest first",
      query: { ...pageQuery, status: statusFilter(inviteStatuses) },
      success: pageOf(Invite),
      errors: ["validation_failed", "invalid_cursor", ...operatorErrors],
    }),
    route.delete("revokeInvite", "/v1/admin/invites/:id", {
      summary: "Revoke an unused invite",
      params: idParams,
      success: HttpApiSchema.NoContent,
      errors: [...operatorErrors, "resource_not_found", "invalid_state"],
    }),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "Operators invite sellers.")

const AuditCsv = auditCsvOf(
  "id,created_at,operator_id,ip_address,action,resource_type,resource_id,details",
  '1795262400000-0,2026-11-21T12:00:00.000Z,5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4,203.0.113.77,seller.kyc_approved,seller,sel_01KA0000000700000000000000,"{""status"":""approved""}"',
)

/** Operators manage sellers. Every act goes to the audit log first (`docs/contract/admin.md#audit-log`). */
export const adminGroup = HttpApiGroup.make("admin")
  .add(
    route.get("listSellers", "/v1/admin/sellers", {
      summary: "Sellers, newest first; those that are searched for, by name",
      query: {
        ...pageQuery,
        q: Schema.optionalKey(SearchText).annotateKey({
          description:
            "Only the seller of this id, this CPF or CNPJ or this owner's e-mail address; or those whose names have words that begin with these.",
        }),
        status: statusFilter(sellerStatuses),
        kyc_status: Schema.optionalKey(Schema.Literals(kycStatuses)).annotateKey({
          description: "Only sellers with this KYC status.",
        }),
      },
      success: pageOf(SellerProfile),
      errors: ["validation_failed", "invalid_cursor", ...operatorErrors],
    }),
    route.get("getSellerAsOperator", "/v1/admin/sellers/:id", {
      summary: "One seller",
      params: idParams,
      success: SellerProfile,
      errors: [...operatorErrors, "resource_not_found"],
    }),
    route.post("decideKyc", "/v1/admin/sellers/:id/kyc", {
      summary: "Approve or reject a seller's identification",
      params: idParams,
      payload: Schema.Struct({
        status: Schema.Literals(["approved", "rejected"]).annotateKey({ description: "The decision." }),
        legal_name: Schema.optionalKey(DisplayName).annotateKey({
          description:
            "The legal name that is approved: 409 if the seller has submitted another since. Payers will see it.",
        }),
        reason,
      }).annotate({
        identifier: "KycDecision",
        examples: [{ status: "approved" }],
      }),
      success: [SellerProfile, AwaitingSecondOperator],
      errors: [...body, ...operatorErrors, "resource_not_found", "invalid_state"],
    }),
    route.post("setSellerStatus", "/v1/admin/sellers/:id/status", {
      summary: "Suspend a seller, or reactivate it",
      params: idParams,
      payload: Schema.Struct({
        status: Schema.Literals(sellerStatuses).annotateKey({ description: "The seller's new status." }),
        reason,
      }).annotate({
        identifier: "SellerStatusChange",
        examples: [{ status: "suspended", reason: "Chargebacks" }],
      }),
      success: [SellerProfile, AwaitingSecondOperator],
      errors: [...body, ...operatorErrors, "resource_not_found"],
    }),
    route.post("lockPayouts", "/v1/admin/sellers/:id/payout-lock", {
      summary: "Lock a seller's withdrawals until a given time; null unlocks",
      params: idParams,
      payload: Schema.Struct({
        until: Schema.NullOr(DateTimeText).annotateKey({ description: "`null` unlocks." }),
        reason,
      }).annotate({
        identifier: "PayoutLock",
        examples: [{ until: "2026-12-01T00:00:00Z", reason: "Under review" }],
      }),
      success: [SellerProfile, AwaitingSecondOperator],
      errors: [...body, ...operatorErrors, "resource_not_found"],
    }),
    route.patch("patchSellerSettings", "/v1/admin/sellers/:id/settings", {
      summary: "Change a seller's fees, limits and approval",
      params: idParams,
      payload: SellerSettingsPatch,
      success: [SellerProfile, AwaitingSecondOperator],
      errors: [...body, ...operatorErrors, "resource_not_found"],
    }),
    route.get("listAudit", "/v1/admin/audit", {
      summary: "The audit log: what operators did, newest first",
      query: {
        ...auditQuery,
        actor: Schema.optionalKey(Schema.String).annotateKey({
          description: "Only what this operator did, by user id; `command_line` for commands.",
        }),
      },
      headers: auditHeaders,
      success: [pageOf(AuditEntry), AuditCsv],
      errors: ["validation_failed", "invalid_cursor", ...operatorErrors],
    }),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "Sellers and the audit log, for operators.")
