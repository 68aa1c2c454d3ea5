import { Schema } from "effect"
import { textOrNull, timestamp, timestampOrNull } from "../fields.ts"
import { limits } from "../limits.ts"
import { givenRoles, memberRoles } from "../memberRoles.ts"
import { memberStatuses } from "../names.ts"
import { Email } from "./transaction.ts"

const email = Schema.String.annotate({ format: "email" })

const GivenRole = Schema.Literals(givenRoles)
const RefundLimit = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: limits.amountMax }))

/** Somebody in a seller's team, or invited to it (`docs/contract/members.md#fields`). */
export const Member = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The member's id." }),
  object: Schema.Literal("member").annotateKey({ description: "The kind of resource." }),
  email: email.annotateKey({ description: "What the member signs in with, or where the invitation went." }),
  name: textOrNull.annotateKey({ description: "The user's name; null while invited." }),
  role: Schema.Literals(memberRoles).annotateKey({ description: "What the member may do." }),
  refund_limit: Schema.NullOr(Schema.Int).annotateKey({
    description: "Of `support`: the most that one refund may give back, in centavos. Null for other roles.",
  }),
  status: Schema.Literals(memberStatuses).annotateKey({
    description:
      "`invited`, or `expired` once the invitation has run out; `active`; `disabled`: an operator has shut the user out.",
  }),
  two_factor_enabled: Schema.NullOr(Schema.Boolean).annotateKey({
    description:
      "Whether the user has a second factor, without which it can change nothing; null while invited.",
  }),
  created_at: timestamp.annotateKey({
    description: "When the member was invited; of a first owner, the seller's.",
  }),
  last_seen_at: timestampOrNull.annotateKey({
    description:
      "When the user last used the dashboard, to the minute; null while invited, or if that is not known.",
  }),
  expires_at: timestampOrNull.annotateKey({
    description: "Until when the invitation can be accepted; null for members.",
  }),
}).annotate({
  identifier: "Member",
  examples: [
    {
      id: "mem_01KA0000000700000000000000",
      object: "member",
      email: "bia@example.com",
      name: "Bia Lima",
      role: "support",
      refund_limit: 50_000,
      status: "active",
      two_factor_enabled: true,
      created_at: "2026-11-21T12:00:00.000Z",
      last_seen_at: "2026-11-28T12:00:00.000Z",
      expires_at: null,
    },
  ],
})
export type Member = typeof Member.Type

const refundLimit = Schema.optionalKey(RefundLimit).annotateKey({
  description: "Only of `support`: the most that one refund may give back, in centavos. Default 0: none.",
})

/** Body of POST /v1/me/members. */
export const InviteMember = Schema.Struct({
  email: Email.annotateKey({ description: "Who is invited; only the user of this address can accept." }),
  role: GivenRole.annotateKey({ description: "What the member will be allowed to do." }),
  refund_limit: refundLimit,
}).annotate({
  identifier: "InviteMember",
  examples: [{ email: "bia@example.com", role: "support", refund_limit: 50_000 }],
})
export type InviteMember = typeof InviteMember.Type

/** Body of PATCH /v1/me/members/{id}. */
export const MemberPatch = Schema.Struct({
  role: Schema.optionalKey(GivenRole).annotateKey({ description: "The role from now on." }),
  refund_limit: refundLimit,
}).annotate({ identifier: "MemberPatch", examples: [{ role: "support", refund_limit: 20_000 }] })
export type MemberPatch = typeof MemberPatch.Type

/** Body of POST /v1/me/members/{id}/transfer-ownership. */
export const OwnershipTransfer = Schema.Struct({
  role: Schema.optionalKey(GivenRole).annotateKey({
    description: "What the owner until now is from then on. Default `finance`.",
  }),
}).annotate({ identifier: "OwnershipTransfer", examples: [{ role: "finance" }] })

/** What an invitation is to, for whoever has its token. */
export const TeamInvite = Schema.Struct({
  seller_name: Schema.String.annotateKey({ description: "The name of the seller whose team it is." }),
  email: email.annotateKey({ description: "Who is invited." }),
  role: GivenRole.annotateKey({ description: "What the member will be allowed to do." }),
  refund_limit: Schema.NullOr(Schema.Int).annotateKey({
    description:
      "Of `support`: the most that one refund will be allowed to give back, in centavos. Null for other roles.",
  }),
  invited_by: Schema.NullOr(
    Schema.Struct({
      name: Schema.String.annotateKey({ description: "The owner's name." }),
      email: email.annotateKey({ description: "The owner's address." }),
    }),
  ).annotateKey({ description: "The owner of the team, who alone invites; null if that is not known." }),
  expires_at: timestamp.annotateKey({ description: "Until when it can be accepted." }),
  has_account: Schema.Boolean.annotateKey({
    description: "Whether the address has an account, whose user accepts; if not, signing up accepts.",
  }),
}).annotate({
  identifier: "TeamInvite",
  examples: [
    {
      seller_name: "Loja da Ana",
      email: "bia@example.com",
      role: "support",
      refund_limit: 50_000,
      invited_by: { name: "Ana Souza", email: "ana@example.com" },
      expires_at: "2026-11-28T12:00:00.000Z",
      has_account: false,
    },
  ],
})
export type TeamInvite = typeof TeamInvite.Type
