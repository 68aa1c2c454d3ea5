/**
 * How a seller's team changes (docs/contract/members.md):
 * 1. Read the team, all of it: it is small, and its records are the only ones that say who is in it.
 * 2. Decide, and commit the change with its entry in the seller's audit log, guarded by the team's version. Where others have changed
 *    the team since 1, begin anew.
 * 3. End the streams of whom it is about. Sessions need nothing: each request reads what its user is in the team.
 *
 * Who joins is noted in its user's own records first, which only say where to look. If the process dies in between, the invitation is
 * still open, and accepting it again does the rest.
 */
import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { MemberStore, type TeamChange } from "../../../actors/ports/memberStore.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { changedByOthers, decideAndCommit, stale } from "../../../actors/runtime/decideAndCommit.ts"
import { foldAddress } from "../../../actors/values/emailAddress.ts"
import { type StoredMember, wholeTeam } from "../../../actors/values/membership.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { GivenRole } from "../../../schema/memberRoles.ts"
import type { Member, TeamInvite } from "../../../schema/resources/member.ts"
import { Links } from "../../mail/links.ts"
import { Mailer } from "../../mail/mailer.ts"
import { teamInviteMail } from "../../mail/mailTexts.ts"
import { makeUserStore, type UserEntity } from "../../store/users.ts"
import { askAgain } from "../askAgain.ts"
import type { Outcome } from "../outcome.ts"
import { SecurityNotices } from "../securityNotices.ts"
import { type Deed, SellerAudit } from "../sellerAudit.ts"
import { Sessions } from "../sessions/sessions.ts"
import { checkNewAddress } from "../users/addressRules.ts"
import { Users } from "../users/users.ts"
import {
  inAnotherTeam,
  invitationUnusable,
  isInTeam,
  limitOfSupport,
  noMember,
  notActive,
  notAsExpected,
  notInvited,
  ownerCannotLeave,
  ownerStays,
  teamFull,
} from "./teamErrors.ts"
import { makeFindInvitation, newInvitation, type OpenInvitation } from "./teamInvites.ts"

/** A role with what belongs to it. */
export interface RoleGiven {
  readonly role: GivenRole
  readonly refundLimit: number | undefined
}

/** The user who acts, and its seller. */
export interface Acting {
  readonly userId: string
  readonly sellerId: string
}

/** What a removal is of. */
export type RemovalOf = "invitation" | "member"

type ChangeCode = "invalid_state" | "resource_not_found" | "service_unavailable"

/** A seller's team (docs/contract/members.md). */
export class Team extends Context.Service<
  Team,
  {
    /** The owner first, then members and invitations, oldest first. */
    readonly list: (sellerId: string) => Effect.Effect<ReadonlyArray<Member>, StoreUnavailable>
    /**
     * Invites an address by mail. Fails with 400 at `email` or `refund_limit`, and with 409 where the address is in the team or invited
     * already, or the team is full.
     */
    readonly invite: (
      acting: Acting,
      email: string,
      given: RoleGiven,
    ) => Outcome<Member, Exclude<ChangeCode, "resource_not_found"> | "validation_failed">
    /** Mails an invitation again, with a new token; 409 where it was accepted. */
    readonly resend: (acting: Acting, memberId: string) => Outcome<Member, ChangeCode>
    /** Changes role or limit, of an invitation too; 400 at `refund_limit`, 409 for the owner. */
    readonly change: (
      acting: Acting,
      memberId: string,
      patch: Partial<RoleGiven>,
    ) => Outcome<Member, ChangeCode | "validation_failed">
    /** Removes a member, who is mailed, or revokes an invitation; 409 for the owner, and where it is not what is `expected`. */
    readonly remove: (acting: Acting, memberId: string, expected?: RemovalOf) => Outcome<void, ChangeCode>
    /** Takes the user who asks out of the team, and mails the owner; 409 for the owner. */
    readonly leave: (acting: Acting) => Outcome<void, Exclude<ChangeCode, "resource_not_found">>
    /** Makes a member the owner, and whoever was it a member; 409 where it is not active, or the owner already. */
    readonly transfer: (acting: Acting, memberId: string, role: GivenRole) => Outcome<Member, ChangeCode>
    /** What the invitation of a token is to; undefined where it cannot be accepted. */
    readonly invitation: (token: string) => Effect.Effect<TeamInvite | undefined, StoreUnavailable>
    /** The invitation of a token, for an address: 400 at `param` where it cannot be accepted, or at `email` if it is another's. */
    readonly openFor: (
      token: string,
      email: string,
      param: "token" | "invite_token",
    ) => Outcome<OpenInvitation, "validation_failed">
    /**
     * Makes a user a member by an invitation. Fails with 409 where it is in a team already, and with 400 at `param` where the
     * invitation has ended meanwhile.
     */
    readonly join: (
      user: UserEntity,
      invitation: OpenInvitation,
      param: "token" | "invite_token",
    ) => Outcome<UserEntity, "invalid_state" | "service_unavailable" | "validation_failed">
  }
>()("corrente/accounts/Team") {}

const isoOrNull = (millis: number | undefined): string | null =>
  millis === undefined ? null : new Date(millis).toISOString()

/** A member as it is shown; `user` of one who is no longer invited. */
const resourceOf = (member: StoredMember, user: UserEntity | undefined, nowMillis: number): Member => {
  const { id, role, refundLimit, invitation, createdAt } = member
  const isOver = invitation !== undefined && invitation.expiresAtMillis <= nowMillis
  const isDisabled = user?.disabledAtMillis !== undefined
  const ofInvitation = isOver ? "expired" : "invited"
  return {
    id,
    object: "member",
    email: invitation?.email ?? user?.email ?? "",
    name: user?.name ?? null,
    role,
    refund_limit: role === "support" ? (refundLimit ?? 0) : null,
    status: invitation === undefined ? (isDisabled ? "disabled" : "active") : ofInvitation,
    two_factor_enabled: user?.twoFactorEnabled ?? null,
    created_at: createdAt,
    last_seen_at: isoOrNull(user?.lastSeenAtMillis),
    expires_at: isoOrNull(invitation?.expiresAtMillis),
  }
}

const withRole = (
  { refundLimit: _, ...member }: StoredMember,
  { role, refundLimit }: RoleGiven,
): StoredMember => ({
  ...member,
  role,
  ...(role === "support" ? { refundLimit: refundLimit ?? 0 } : {}),
})

const detailsOf = ({ role, refundLimit }: StoredMember) =>
  refundLimit === undefined ? { role } : { role, refund_limit: refundLimit }

const make = Effect.gen(function* () {
  const store = yield* MemberStore
  const sellers = yield* SellerStore
  const users = yield* Users
  const userStore = yield* makeUserStore
  const sessions = yield* Sessions
  const identifiers = yield* Identifiers
  const audit = yield* SellerAudit
  const notices = yield* SecurityNotices
  const mailer = yield* Mailer
  const links = yield* Links
  const findInvitation = yield* makeFindInvitation

  const sellerOf = Effect.fnUntraced(function* (sellerId: string) {
    const seller = yield* sellers.get(sellerId)
    // That the seller of a session or an invitation is not there is damage, and no answer.
    return seller ?? (yield* new StoreUnavailable({ operation: "team", reason: `no seller ${sellerId}` }))
  })

  const read = Effect.fnUntraced(function* (sellerId: string) {
    const seller = yield* sellerOf(sellerId)
    const team = yield* store.load(sellerId)
    if (team === undefined) return yield* new StoreUnavailable({ operation: "team", reason: "gone" })
    return { team, all: wholeTeam(team, seller.createdAt), sellerName: seller.name }
  })
  type Read = Effect.Success<ReturnType<typeof read>>

  const shown = Effect.fnUntraced(function* (member: StoredMember) {
    const user = member.userId === undefined ? undefined : yield* users.find(member.userId)
    return resourceOf(member, user, yield* Clock.currentTimeMillis)
  })

  /** Decides a change of a team and commits it with its entry in the audit log; a decision fails with what refuses it. */
  const commit = <A, E>(
    doer: Acting,
    decide: (
      found: Read,
    ) => Effect.Effect<
      { readonly change: Partial<TeamChange>; readonly deed: Omit<Deed, "resourceType">; readonly answer: A },
      E
    >,
  ) =>
    decideAndCommit({
      read: read(doer.sellerId),
      attempt: Effect.fnUntraced(function* (found: Read) {
        const { change, deed, answer } = yield* decide(found)
        const whole: TeamChange = {
          ...{ team: found.team, operation: randomUUID(), written: [], removed: [] },
          ...change,
        }
        const acted = { resourceType: "member", ...deed }
        const { kind } = yield* audit.does(doer, acted, askAgain(store.change(whole)))
        if (kind === "noSeller") return yield* new StoreUnavailable({ operation: "team", reason: "gone" })
        return kind === "stale" ? stale : answer
      }),
      giveUp: () => changedByOthers("team"),
    })

  const memberIn = ({ all }: Read, memberId: string) =>
    Effect.suspend(() => {
      const found = all.find(({ id }) => id === memberId)
      return found === undefined ? Effect.fail(noMember(memberId)) : Effect.succeed(found)
    })

  /** The same, but never the owner. */
  const otherIn = Effect.fnUntraced(function* (found: Read, memberId: string) {
    const member = yield* memberIn(found, memberId)
    return member.role === "owner" ? yield* ownerStays() : member
  })

  const endStreamsOf = (sellerId: string, ...members: ReadonlyArray<StoredMember>) =>
    Effect.forEach(
      members,
      ({ userId }) => (userId === undefined ? Effect.void : sessions.endStreams({ userId, sellerId })),
      { discard: true },
    )

  /** Who has an address in a team; undefined: nobody. */
  const holderOf = Effect.fnUntraced(function* (all: ReadonlyArray<StoredMember>, email: string) {
    const folded = foldAddress(email)
    const invited = all.find(({ invitation }) => invitation && foldAddress(invitation.email) === folded)
    if (invited !== undefined) return invited
    const user = yield* users.findByEmail(email)
    return user && all.find(({ userId }) => userId === user.id)
  })

  /** A member's address, for the log: later nobody could tell who it was. */
  const emailOf = Effect.fnUntraced(function* ({ invitation, userId }: StoredMember) {
    const email = invitation?.email ?? (userId && (yield* users.find(userId))?.email)
    return email ? { email } : {}
  })

  const mail = Effect.fnUntraced(function* (
    acting: Acting,
    { role, refundLimit }: StoredMember,
    {
      sellerName,
      email,
      token,
    }: { readonly sellerName: string; readonly email: string; readonly token: string },
  ) {
    const inviter = (yield* users.find(acting.userId)) ?? { name: sellerName, email: "" }
    const link = links.to("/app/join", "token", token)
    const text = teamInviteMail({ sellerName, inviter, role: role as GivenRole, refundLimit, link })
    yield* mailer.send({ to: email, ...text })
  })

  const invite = Effect.fnUntraced(function* (acting: Acting, email: string, given: RoleGiven) {
    yield* checkNewAddress(email)
    if (given.refundLimit !== undefined && given.role !== "support") return yield* limitOfSupport()
    const nowMillis = yield* Clock.currentTimeMillis
    const id = identifiers.id("mem_", partitionOfId(acting.sellerId) ?? 0, nowMillis)
    const { invitation, token } = newInvitation(acting.sellerId, id, email, nowMillis)
    const createdAt = new Date(nowMillis).toISOString()
    const member = withRole({ id, role: given.role, createdAt, invitation }, given)
    const sellerName = yield* commit(
      acting,
      Effect.fnUntraced(function* ({ all, sellerName }) {
        const holder = yield* holderOf(all, email)
        if (holder !== undefined) return yield* isInTeam(holder.id)
        if (all.length >= limits.membersMax) return yield* teamFull()
        const deed = {
          action: "member.invited",
          resourceId: id,
          details: { email, ...detailsOf(member) },
        } as const
        return { change: { written: [member] }, deed, answer: sellerName }
      }),
    )
    // Nobody knows the token until it is mailed, so an invitation that was not written cannot be used.
    yield* mail(acting, member, { sellerName, email, token })
    return yield* shown(member)
  })

  const resend = Effect.fnUntraced(function* (acting: Acting, memberId: string) {
    const nowMillis = yield* Clock.currentTimeMillis
    const sent = yield* commit(
      acting,
      Effect.fnUntraced(function* (found) {
        const member = yield* memberIn(found, memberId)
        if (member.invitation === undefined) return yield* notInvited()
        const { email } = member.invitation
        const { invitation, token } = newInvitation(acting.sellerId, memberId, email, nowMillis)
        const written = { ...member, invitation }
        const deed = {
          action: "member.invitation_sent_again",
          resourceId: memberId,
          details: { email },
        } as const
        return {
          change: { written: [written] },
          deed,
          answer: { member: written, token, email, sellerName: found.sellerName },
        }
      }),
    )
    yield* mail(acting, sent.member, sent)
    return yield* shown(sent.member)
  })

  const change = Effect.fnUntraced(function* (acting: Acting, memberId: string, patch: Partial<RoleGiven>) {
    const member = yield* commit(
      acting,
      Effect.fnUntraced(function* (found) {
        const before = yield* otherIn(found, memberId)
        const role = patch.role ?? (before.role as GivenRole)
        if (patch.refundLimit !== undefined && role !== "support") return yield* limitOfSupport()
        const after = withRole(before, { role, refundLimit: patch.refundLimit ?? before.refundLimit })
        const details = { ...(yield* emailOf(after)), ...detailsOf(after) }
        const deed = { action: "member.changed", resourceId: memberId, details } as const
        return { change: { written: [after] }, deed, answer: after }
      }),
    )
    yield* endStreamsOf(acting.sellerId, member)
    return yield* shown(member)
  })

  /** What follows once a user is out of a team. */
  const forgetTeam = Effect.fnUntraced(function* (sellerId: string, memberId: string, userId: string) {
    yield* sessions.endStreams({ userId, sellerId })
    // The user is out already: this only spares the seller's log what it does elsewhere.
    yield* Effect.catch(askAgain(userStore.leaveTeam(userId, { sellerId, memberId })), ({ reason }) =>
      Effect.logWarning(`user ${userId} still names the team that it left: ${reason}`),
    )
  })

  const remove = Effect.fnUntraced(function* (acting: Acting, memberId: string, expected?: RemovalOf) {
    const { sellerId } = acting
    const { member, sellerName } = yield* commit(
      acting,
      Effect.fnUntraced(function* (found) {
        const gone = yield* otherIn(found, memberId)
        const isInvited = gone.invitation !== undefined
        if (expected !== undefined && (expected === "invitation") !== isInvited)
          return yield* notAsExpected(isInvited)
        const action = gone.invitation === undefined ? "member.removed" : "member.invitation_revoked"
        const details = { ...(yield* emailOf(gone)), role: gone.role }
        return {
          change: { removed: [memberId] },
          deed: { action, resourceId: memberId, details } as const,
          answer: { member: gone, sellerName: found.sellerName },
        }
      }),
    )
    if (member.userId === undefined) return
    yield* forgetTeam(sellerId, memberId, member.userId)
    yield* notices.tell(member.userId, { kind: "member_removed", sellerName })
  })

  const leave = Effect.fnUntraced(function* (acting: Acting) {
    const { sellerId, userId } = acting
    const email = (yield* users.find(userId))?.email ?? ""
    const { memberId, ownerId } = yield* commit(
      acting,
      Effect.fnUntraced(function* ({ all, team }) {
        const self = all.find((member) => member.userId === userId)
        // Removed since the request was admitted: asking again is refused.
        if (self === undefined) return yield* changedByOthers("team")
        if (self.role === "owner") return yield* ownerCannotLeave()
        return {
          change: { removed: [self.id] },
          deed: { action: "member.left", resourceId: self.id, details: { role: self.role } } as const,
          answer: { memberId: self.id, ownerId: team.ownerId },
        }
      }),
    )
    yield* forgetTeam(sellerId, memberId, userId)
    yield* notices.tell(ownerId, { kind: "member_left", email })
  })

  const transfer = Effect.fnUntraced(function* (acting: Acting, memberId: string, role: GivenRole) {
    const { sellerId } = acting
    const { owner, former } = yield* commit(
      acting,
      Effect.fnUntraced(function* (found) {
        const member = yield* otherIn(found, memberId)
        const user = member.userId === undefined ? undefined : yield* users.find(member.userId)
        if (user === undefined || user.disabledAtMillis !== undefined) return yield* notActive()
        const [before] = found.all
        const { refundLimit: _, ...kept } = member
        const owner: StoredMember = { ...kept, role: "owner" }
        const former = withRole(before, { role, refundLimit: undefined })
        return {
          change: { written: [owner, former], ownerId: user.id },
          deed: {
            action: "seller.ownership_transferred",
            resourceId: memberId,
            details: { former_owner: role },
          } as const,
          answer: { owner, former },
        }
      }),
    )
    yield* endStreamsOf(sellerId, owner, former)
    yield* notices.tell(former.userId ?? "", { kind: "ownership_given" })
    yield* notices.tell(owner.userId ?? "", { kind: "ownership_received" })
    return yield* shown(owner)
  })

  const invitation = Effect.fnUntraced(function* (token: string) {
    const found = yield* findInvitation(token)
    if (found === undefined) return undefined
    const { email, expiresAtMillis } = found.member.invitation
    const owner = yield* users.find(found.team.ownerId)
    const invited: TeamInvite = {
      seller_name: (yield* sellerOf(found.team.sellerId)).name,
      email,
      role: found.member.role as GivenRole,
      refund_limit: found.member.role === "support" ? (found.member.refundLimit ?? 0) : null,
      invited_by: owner === undefined ? null : { name: owner.name, email: owner.email },
      expires_at: new Date(expiresAtMillis).toISOString(),
      has_account: (yield* users.findByEmail(email)) !== undefined,
    }
    return invited
  })

  const openFor = Effect.fnUntraced(function* (
    token: string,
    email: string,
    param: "token" | "invite_token",
  ) {
    const found = yield* findInvitation(token)
    if (found === undefined) return yield* invitationUnusable(param)
    if (foldAddress(found.member.invitation.email) !== foldAddress(email))
      return yield* invitationUnusable(param)
    return found
  })

  const join = Effect.fnUntraced(function* (
    user: UserEntity,
    { team: { sellerId }, member: { id: memberId, invitation: accepted } }: OpenInvitation,
    param: "token" | "invite_token",
  ) {
    const current = user.sellerId && (yield* store.membershipOf(user.sellerId, user.id, user.memberId))
    if (current) return yield* inAnotherTeam()
    const { kind } = yield* askAgain(userStore.joinTeam(user.id, { sellerId, memberId }))
    if (kind === "missing") return yield* invitationUnusable(param)
    const ownerId = yield* commit(
      { userId: user.id, sellerId },
      Effect.fnUntraced(function* ({ all, team }) {
        const invited = all.find(({ id }) => id === memberId)
        if (invited?.invitation?.tokenHash !== accepted.tokenHash) return yield* invitationUnusable(param)
        const { invitation: _, ...kept } = invited
        const deed = { action: "member.joined", resourceId: memberId, details: detailsOf(invited) } as const
        return { change: { written: [{ ...kept, userId: user.id }] }, deed, answer: team.ownerId }
      }),
    )
    yield* notices.tell(ownerId, { kind: "member_joined", email: user.email })
    const joined: UserEntity = { ...user, sellerId, memberId }
    return joined
  })

  const list = Effect.fnUntraced(function* (sellerId: string) {
    const { all } = yield* read(sellerId)
    return yield* Effect.forEach(all, shown, { concurrency: "unbounded" })
  })

  return Team.of({ list, invite, resend, change, remove, leave, transfer, invitation, openFor, join })
})

export const TeamLive = Layer.effect(Team, make)
