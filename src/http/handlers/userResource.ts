import { Effect } from "effect"
import { MemberStore } from "../../../actors/ports/memberStore.ts"
import { refundMaxOf } from "../../../actors/values/membership.ts"
import type { User } from "../../../schema/resources/account.ts"
import type { UserEntity } from "../../store/users.ts"

const isoOf = (millis: number): string => new Date(millis).toISOString()

/** Shows a user to its own session, without secrets, as what it is in its team now (docs/contract/accounts.md#users). */
export const makeUserResource = Effect.map(MemberStore, (members) =>
  Effect.fnUntraced(function* (user: UserEntity) {
    const { id, sellerId, memberId } = user
    const membership =
      sellerId === undefined ? undefined : yield* members.membershipOf(sellerId, id, memberId)
    const resource: User = {
      id,
      email: user.email,
      name: user.name,
      emailVerified: user.emailVerified,
      role: user.role,
      seller_id: membership === undefined ? null : (sellerId ?? null),
      seller_role: membership?.role ?? null,
      refund_limit: (membership && refundMaxOf(membership)) ?? null,
      twoFactorEnabled: user.twoFactorEnabled,
      image: null,
      createdAt: isoOf(user.createdAtMillis),
      updatedAt: isoOf(user.updatedAtMillis),
    }
    return resource
  }),
)
