import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { rolesFor } from "../memberRoles.ts"
import { InviteMember, Member, MemberPatch, OwnershipTransfer } from "../resources/member.ts"
import { idParams, listOf } from "./common.ts"
import { route } from "./route.ts"
import { SellerAuth } from "./security.ts"

const session = ["session_required", "permission_denied"] as const
const change = [...session, "origin_not_allowed", "mfa_required"] as const
const body = ["validation_failed", "length_required", "payload_too_large", "unsupported_media_type"] as const

const expectedRemoval = Schema.optionalKey(Schema.Literals(["invitation", "member"])).annotateKey({
  description:
    "What the caller takes it for: 409 `invalid_state` if an invitation was accepted meanwhile. Without it either is removed.",
})

/** The team of a seller (`docs/contract/members.md`). */
export const membersGroup = HttpApiGroup.make("members")
  .add(
    route.get("listMembers", "/v1/me/members", {
      roles: rolesFor.reading,
      summary: "The seller's team: its owner first, then members and invitations",
      success: listOf(Member),
      errors: [...session],
    }),
    route.post("inviteMember", "/v1/me/members", {
      roles: rolesFor.owning,
      summary: "Invite somebody to the team by mail",
      stepUp: "always",
      payload: InviteMember,
      success: Member.pipe(HttpApiSchema.status(201)),
      errors: [...change, ...body, "invalid_state", "rate_limited"],
    }),
    route.patch("changeMember", "/v1/me/members/:id", {
      roles: rolesFor.owning,
      summary: "Change a member's role or refund limit",
      stepUp: "always",
      params: idParams,
      payload: MemberPatch,
      success: Member,
      errors: [...change, ...body, "resource_not_found", "invalid_state"],
    }),
    route.delete("removeMember", "/v1/me/members/:id", {
      roles: rolesFor.owning,
      summary: "Remove a member, or revoke an invitation",
      stepUp: "always",
      params: idParams,
      query: { expected: expectedRemoval },
      success: HttpApiSchema.NoContent,
      errors: [...change, "validation_failed", "resource_not_found", "invalid_state"],
    }),
    route.post("leaveTeam", "/v1/me/members/leave", {
      roles: rolesFor.reading,
      summary: "Leave the team",
      success: HttpApiSchema.NoContent,
      errors: [...session, "origin_not_allowed", "invalid_state"],
    }),
    route.post("resendInvitation", "/v1/me/members/:id/resend", {
      roles: rolesFor.owning,
      summary: "Mail an invitation again; the link before ends",
      stepUp: "always",
      params: idParams,
      success: Member,
      errors: [...change, "resource_not_found", "invalid_state", "rate_limited"],
    }),
    route.post("transferOwnership", "/v1/me/members/:id/transfer-ownership", {
      roles: rolesFor.owning,
      summary: "Make a member the owner instead of yourself",
      stepUp: "always",
      body: "optional",
      params: idParams,
      payload: OwnershipTransfer,
      success: Member,
      errors: [...change, ...body, "resource_not_found", "invalid_state"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "Who uses a seller's account, and what each may do.")
