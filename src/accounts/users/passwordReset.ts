import { Clock, Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { ApiError } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { Mailer } from "../../mail/mailer.ts"
import { resetMail } from "../../mail/mailTexts.ts"
import { makeUserStore } from "../../store/users.ts"
import { askAgain } from "../askAgain.ts"
import { SecurityLog } from "../securityLog.ts"
import { SecurityNotices } from "../securityNotices.ts"
import { ofUser, SellerAudit } from "../sellerAudit.ts"
import { Sessions } from "../sessions/sessions.ts"
import { AccountTokens } from "./accountTokenStore.ts"
import { badToken } from "./emailVerification.ts"
import { userAsker } from "./fairWaitingRoom.ts"
import { checkNewPassword, makePasswordContexts } from "./passwordRules.ts"
import { Passwords } from "./passwords.ts"
import { Users } from "./users.ts"

/** Sets a new password by a mailed token (docs/contract/accounts.md#password-reset). */
export class PasswordReset extends Context.Service<
  PasswordReset,
  {
    /** Mails a link if the address has an account that is not disabled. Takes as long and answers the same otherwise. */
    readonly request: (
      email: string,
      linkOf: (token: string) => string,
    ) => Effect.Effect<void, StoreUnavailable>
    /**
     * Sets the password and ends all sessions. Fails with 400 at `token` if it is unknown, expired or used, and at
     * `newPassword`.
     */
    readonly reset: (
      token: string,
      newPassword: string,
    ) => Effect.Effect<void, ApiError<"service_unavailable" | "validation_failed"> | StoreUnavailable>
  }
>()("corrente/accounts/PasswordReset") {}

export const PasswordResetLive = Layer.effect(
  PasswordReset,
  Effect.gen(function* () {
    const store = yield* makeUserStore
    const tokens = yield* AccountTokens
    const users = yield* Users
    const passwords = yield* Passwords
    const passwordContextOf = yield* makePasswordContexts
    const mailer = yield* Mailer
    const sessions = yield* Sessions
    const notices = yield* SecurityNotices
    const log = yield* SecurityLog
    const audit = yield* SellerAudit
    return PasswordReset.of({
      request: Effect.fnUntraced(function* (email, linkOf) {
        const found = yield* users.findByEmail(email)
        const user = found?.disabledAtMillis === undefined ? found : undefined
        const token = yield* tokens.issue(email, user, "reset_password", limits.resetTokenMillis)
        if (user !== undefined) yield* mailer.send({ to: user.email, ...resetMail(linkOf(token)) })
      }),
      reset: Effect.fnUntraced(function* (text, newPassword) {
        const found = yield* tokens.find(text, "reset_password")
        if (found === undefined) {
          yield* log.refused("password reset", "bad_token", {})
          return yield* badToken()
        }
        yield* checkNewPassword("newPassword", newPassword, yield* passwordContextOf(found.user))
        const hashed = yield* passwords.hash(newPassword, userAsker(found.user.id))
        const nowMillis = yield* Clock.currentTimeMillis
        const { id, passwordHash } = found.user
        const { kind } = yield* askAgain(
          store.resetPassword(id, found.tokenHash, passwordHash, hashed, nowMillis),
        )
        if (kind === "tokenUsed") return yield* badToken()
        yield* sessions.endStreams({ userId: id, sellerId: found.user.sellerId })
        yield* log.revoked("all sessions", { userId: id }, "password reset")
        yield* audit.did({ userId: id, sellerId: found.user.sellerId }, ofUser("user.password_reset", id))
        yield* notices.tell(id, { kind: "password_reset" })
      }),
    })
  }),
)
