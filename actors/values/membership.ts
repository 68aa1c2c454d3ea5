import type { MemberRole } from "../../schema/memberRoles.ts"

/** What a user is in a seller's team, now (docs/contract/members.md#roles). */
export interface Membership {
  /** `mem_…` */
  readonly memberId: string
  readonly role: MemberRole
  /** Of `support`, as the owner set it: the most that one refund may give back, in centavos. */
  readonly refundLimit: number | undefined
}

/**
 * The most that one refund by a member may give back, in centavos; undefined: any amount. Support may refund nothing until the owner
 * has set a limit (docs/contract/members.md#refund-limit).
 */
export const refundMaxOf = ({ role, refundLimit }: Membership): number | undefined =>
  role === "support" ? (refundLimit ?? 0) : undefined

/** Somebody in a team other than by being the seller's first user: invited, or a member. */
export interface StoredMember {
  /** `mem_…` */
  readonly id: string
  /** `owner` only where the seller names this member's user as its own. */
  readonly role: MemberRole
  /** Of `support`: the most that one refund may give back, in centavos. */
  readonly refundLimit?: number | undefined
  /** ISO text: of an invitation, when it was first sent. */
  readonly createdAt: string
  /** Who it is; undefined while invited. */
  readonly userId?: string | undefined
  /** An invitation that is open, or has run out; undefined once it was accepted. */
  readonly invitation?: Invitation | undefined
}

/** An invitation by mail. */
export interface Invitation {
  readonly email: string
  /** Of the token in the newest mail, SHA-256 in base64url. */
  readonly tokenHash: string
  readonly expiresAtMillis: number
}

/** A seller's team as it is stored: who is in it beside its first user. */
export interface StoredTeam {
  readonly sellerId: string
  /** The user who owns the seller. */
  readonly ownerId: string
  /** Counts the changes; a change names the version that it was decided on. */
  readonly version: number
  readonly members: ReadonlyArray<StoredMember>
}

/** The member id of a seller's first user, of whom no record is kept until ownership is transferred. */
export const firstMemberId = (sellerId: string): string => `mem_${sellerId.slice("sel_".length)}`
/** All members of a team with its owner, who stands first. */
export const wholeTeam = (
  { sellerId, ownerId, members }: StoredTeam,
  sellerCreatedAt: string,
): readonly [owner: StoredMember, ...ReadonlyArray<StoredMember>] => {
  const owner = members.find(({ role }) => role === "owner") ?? {
    id: firstMemberId(sellerId),
    role: "owner" as const,
    createdAt: sellerCreatedAt,
    userId: ownerId,
  }
  return [owner, ...members.filter(({ id }) => id !== owner.id)]
}
