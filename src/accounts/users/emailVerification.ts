import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { type ApiError, validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { Links } from "../../mail/links.ts"
import { Mailer } from "../../mail/mailer.ts"
import { verificationMail } from "../../mail/mailTexts.ts"
import { makeUserStore, type UserEntity } from "../../store/users.ts"
import { askAgain } from "../askAgain.ts"
import { AccountTokens } from "./accountTokenStore.ts"
import { Users } from "./users.ts"

/** Verifies e-mail addresses by a mailed token (docs/contract/accounts.md#email-verification). */
export class EmailVerification extends Context.Service<
  EmailVerification,
  {
    /** Mails the link. */
    readonly send: (user: UserEntity) => Effect.Effect<void, StoreUnavailable>
    /**
     * Mails the link again if the address has an account that is not disabled, and is not verified. Takes as long and
     * answers the same otherwise.
     */
    readonly sendAgain: (email: string) => Effect.Effect<void, StoreUnavailable>
    /** Fails with 400 at `token` if it is unknown, expired or used. */
    readonly verify: (token: string) => Effect.Effect<void, ApiError<"validation_failed"> | StoreUnavailable>
  }
>()("corrente/accounts/EmailVerification") {}

/** 400 at `token`: unknown, expired or used. */
export const badToken = (): ApiError<"validation_failed"> =>
  validationFailed("token", "This token is unknown, expired or used. Ask for a new mail.")

export const EmailVerificationLive = Layer.effect(
  EmailVerification,
  Effect.gen(function* () {
    const store = yield* makeUserStore
    const tokens = yield* AccountTokens
    const mailer = yield* Mailer
    const links = yield* Links
    const users = yield* Users
    /** For nobody, a token is written that nobody gets, so that it takes as long. */
    const mailTo = Effect.fnUntraced(function* (email: string, user: UserEntity | undefined) {
      const token = yield* tokens.issue(email, user, "verify_email", limits.verifyEmailTokenMillis)
      if (user === undefined) return
      const link = links.to("/app/verify-email", "token", token)
      yield* mailer.send({ to: user.email, ...verificationMail(user.name, link) })
    })
    return EmailVerification.of({
      send: (user) => mailTo(user.email, user),
      sendAgain: Effect.fnUntraced(function* (email) {
        const user = yield* users.findByEmail(email)
        const isDone = user?.emailVerified === true || user?.disabledAtMillis !== undefined
        yield* mailTo(email, isDone ? undefined : user)
      }),
      verify: Effect.fnUntraced(function* (text) {
        const found = yield* tokens.find(text, "verify_email")
        if (found === undefined) return yield* badToken()
        const nowMillis = yield* Clock.currentTimeMillis
        const { kind } = yield* askAgain(
          store.verifyEmail(found.user.id, found.tokenHash, nowMillis, randomUUID()),
        )
        if (kind === "tokenUsed") return yield* badToken()
      }),
    })
  }),
)
