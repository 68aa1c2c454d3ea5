import { Effect } from "effect"
import type { AuthSession } from "../../../schema/resources/account.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import { Passkeys } from "../../accounts/twoFactor/passkeys.ts"
import type { UserEntity } from "../../store/users.ts"

/** What a user can give as a second factor: in a session, or at the second step of a sign-in. */
export const makeFactorMethods = Effect.map(Passkeys, (passkeys) =>
  Effect.fnUntraced(function* (user: UserEntity, sessionId?: string) {
    if (!user.twoFactorEnabled) return []
    const usable = yield* passkeys.usable(user.id, sessionId)
    return ["totp" as const, ...(usable.length === 0 ? [] : ["passkey" as const])]
  }),
)

/** Shows a session in better-auth's names, and what steps it up. */
export const makeAuthSessions = Effect.map(makeFactorMethods, (methodsOf) =>
  Effect.fnUntraced(function* (session: Session, user: UserEntity) {
    const shown: AuthSession = {
      id: session.id,
      userId: session.userId,
      ipAddress: session.ipAddress ?? null,
      userAgent: session.userAgent ?? null,
      createdAt: new Date(session.createdAtMillis).toISOString(),
      updatedAt: new Date(session.lastSeenAtMillis).toISOString(),
      expiresAt: new Date(session.expiresAtMillis).toISOString(),
      twoFactorMethods: yield* methodsOf(user, session.id),
    }
    return shown
  }),
)
