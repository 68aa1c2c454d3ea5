import { Clock, Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { ApiError } from "../../../schema/errors.ts"
import { accountSlotOfUser } from "../../store/keys.ts"
import { makeUserStore, type UserEntity } from "../../store/users.ts"
import { askAgain } from "../askAgain.ts"
import { SecurityNotices } from "../securityNotices.ts"
import type { Session } from "../sessions/session.ts"
import { Sessions } from "../sessions/sessions.ts"
import { noSession, wrongPassword } from "../twoFactor/twoFactorErrors.ts"
import { newAccountToken } from "./accountTokenStore.ts"
import { userAsker } from "./fairWaitingRoom.ts"
import { checkNewPassword, makePasswordContexts } from "./passwordRules.ts"
import { Passwords } from "./passwords.ts"
import { Users } from "./users.ts"

/** A request to change the password. */
export interface PasswordChangeRequest {
  readonly currentPassword: string
  readonly newPassword: string
  readonly revokeOtherSessions: boolean
}

/** The result of a password change. */
export interface ChangedPassword {
  /** The user before and after. */
  readonly before: UserEntity
  readonly user: UserEntity
  /** The new token of the session, for its cookie only; undefined if the session keeps its token. */
  readonly token: string | undefined
}

/** Changes the password of the signed-in user. */
export class PasswordChange extends Context.Service<
  PasswordChange,
  {
    /**
     * Sets the new password. Mailed links, pending sign-ins and trusted devices end with the old one, and other
     * sessions too if asked. Fails with 400 at `newPassword`, and with 401 `invalid_credentials` if the current
     * password is wrong.
     */
    readonly change: (
      session: Session,
      request: PasswordChangeRequest,
    ) => Effect.Effect<
      ChangedPassword,
      | ApiError<"invalid_credentials" | "service_unavailable" | "session_required" | "validation_failed">
      | StoreUnavailable
    >
  }
>()("corrente/accounts/PasswordChange") {}

export const PasswordChangeLive = Layer.effect(
  PasswordChange,
  Effect.gen(function* () {
    const store = yield* makeUserStore
    const users = yield* Users
    const passwords = yield* Passwords
    const passwordContextOf = yield* makePasswordContexts
    const sessions = yield* Sessions
    const notices = yield* SecurityNotices
    return PasswordChange.of({
      change: Effect.fnUntraced(function* (session, request) {
        const before = yield* users.find(session.userId)
        if (before === undefined) return yield* noSession()
        yield* checkNewPassword("newPassword", request.newPassword, yield* passwordContextOf(before))
        const asker = userAsker(before.id)
        if (!(yield* passwords.verify(request.currentPassword, before.passwordHash, asker))) {
          return yield* wrongPassword()
        }
        const { id: userId, passwordHash: oldHash } = before
        const newHash = yield* passwords.hash(request.newPassword, asker)
        const next = request.revokeOtherSessions ? newAccountToken(accountSlotOfUser(userId)) : undefined
        const nowMillis = yield* Clock.currentTimeMillis
        const { kind } = yield* askAgain(
          store.changePassword({
            userId,
            tokenHash: session.tokenHash,
            oldHash,
            newHash,
            nowMillis,
            newTokenHash: next?.tokenHash,
          }),
        )
        if (kind === "passwordChanged") return yield* wrongPassword()
        if (kind === "noSession") return yield* noSession()
        if (request.revokeOtherSessions) yield* sessions.endStreams(session)
        yield* notices.tell(userId, { kind: "password_changed" })
        const user = { ...before, passwordHash: newHash, updatedAtMillis: nowMillis }
        return { before, user, token: next?.token }
      }),
    })
  }),
)
