import { Effect } from "effect"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import type { membersGroup } from "../../../schema/api/members.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { Member } from "../../../schema/resources/member.ts"
import { type RoleGiven, Team } from "../../accounts/team/team.ts"
import { type NamedBucket, withinQuota } from "../contract/quota.ts"
import type { JsonReply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"

const shown = (member: Member, status = 200): JsonReply => ({ status, body: JSON.stringify(member) })

const hourMillis = 60 * 60 * 1000

/** Mails of a seller that invite: whoever has taken an owner's session must not write to the world in our name. */
const invitesOf = (sellerId: string): NamedBucket => ({
  policy: "team-invites",
  bucket: {
    partition: partitionOfId(sellerId) ?? 0,
    name: `team-invites:${sellerId}`,
    capacity: limits.memberInvitesPerHour,
    windowMillis: hourMillis,
  },
  message: `Too many invitations: ${limits.memberInvitesPerHour} an hour are mailed. Try again after Retry-After.`,
})

const readGiven = ({
  role,
  refund_limit,
}: {
  readonly role?: RoleGiven["role"]
  readonly refund_limit?: number
}) => ({
  ...(role === undefined ? {} : { role }),
  ...(refund_limit === undefined ? {} : { refundLimit: refund_limit }),
})

/** Routes of a seller's team (docs/contract/members.md). */
export const makeMemberHandlers = Effect.gen(function* () {
  const team = yield* Team
  const limiter = yield* RateLimiter

  const actingOf = ({ keyId: userId, sellerId }: Principal) => ({ userId, sellerId })

  const handlers: GroupHandlers<typeof membersGroup> = {
    listMembers: ({ principal }) =>
      Effect.map(team.list(principal.sellerId), (data) => ({ status: 200, body: JSON.stringify({ data }) })),

    inviteMember: ({ principal, payload: { email, role, refund_limit: refundLimit } }) => {
      const invited = team.invite(actingOf(principal), email, { role, refundLimit })
      const answer = Effect.map(invited, (member) => shown(member, 201))
      return withinQuota(limiter, [invitesOf(principal.sellerId)], answer)
    },

    changeMember: ({ principal, params, payload }) =>
      Effect.map(team.change(actingOf(principal), params.id, readGiven(payload)), (member) => shown(member)),

    removeMember: ({ principal, params, query }) =>
      Effect.as(team.remove(actingOf(principal), params.id, query.expected), { status: 204, body: "" }),

    leaveTeam: ({ principal }) => Effect.as(team.leave(actingOf(principal)), { status: 204, body: "" }),

    resendInvitation: ({ principal, params }) => {
      const answer = Effect.map(team.resend(actingOf(principal), params.id), (member) => shown(member))
      return withinQuota(limiter, [invitesOf(principal.sellerId)], answer)
    },

    transferOwnership: ({ principal, params, payload: { role = "finance" } }) =>
      Effect.map(team.transfer(actingOf(principal), params.id, role), (member) => shown(member)),
  }
  return handlers
})
