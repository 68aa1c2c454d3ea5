import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import { Clock, Effect } from "effect"
import { MemberStore } from "../../../actors/ports/memberStore.ts"
import type { Invitation, StoredMember, StoredTeam } from "../../../actors/values/membership.ts"
import { isId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"

/** An invitation that can be accepted now, with the team that it is to. */
export interface OpenInvitation {
  readonly team: StoredTeam
  readonly member: StoredMember & { readonly invitation: Invitation }
}

/** The seller's and the member's id without their prefixes, which find the invitation, and a secret of 258 bits. */
const tokenPattern = /^([0-9A-HJKMNP-TV-Z]{26})([0-9A-HJKMNP-TV-Z]{26})([A-Za-z0-9_-]{43})$/

const hashOf = (token: string): string => hash("sha256", token, "base64url")

/** Whether a text has the form of an invitation to a team, rather than of an invite to open an account. */
export const isTeamToken = (text: string): boolean => tokenPattern.test(text)

/** Draws an invitation of a member, and the token that only its mail has. */
export const newInvitation = (sellerId: string, memberId: string, email: string, nowMillis: number) => {
  const secret = randomBytes(33).toString("base64url").slice(0, 43)
  const token = sellerId.slice("sel_".length) + memberId.slice("mem_".length) + secret
  const invitation: Invitation = {
    email,
    tokenHash: hashOf(token),
    expiresAtMillis: nowMillis + limits.inviteTokenMillis,
  }
  return { invitation, token }
}

/** Makes the function that finds the invitation of a token; undefined where it is unknown, used, revoked, replaced or has run out. */
export const makeFindInvitation = Effect.map(MemberStore, (store) =>
  Effect.fnUntraced(function* (token: string) {
    const [, seller, id] = tokenPattern.exec(token) ?? []
    const [sellerId, memberId] = [`sel_${seller}`, `mem_${id}`]
    if (!isId("sel_", sellerId) || !isId("mem_", memberId)) return undefined
    const team = yield* store.load(sellerId)
    const member = team?.members.find((one) => one.id === memberId)
    if (team === undefined || member?.invitation === undefined) return undefined
    const { tokenHash, expiresAtMillis } = member.invitation
    if (!timingSafeEqual(Buffer.from(hashOf(token)), Buffer.from(tokenHash))) return undefined
    if (expiresAtMillis <= (yield* Clock.currentTimeMillis)) return undefined
    const found: OpenInvitation = { team, member: { ...member, invitation: member.invitation } }
    return found
  }),
)
