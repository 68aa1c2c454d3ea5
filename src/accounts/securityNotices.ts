import { Clock, Context, Effect, Layer } from "effect"
import { Mailer } from "../mail/mailer.ts"
import { type SecurityNotice, securityMail } from "../mail/securityMails.ts"
import { Users } from "./users/users.ts"

export type { SecurityNotice } from "../mail/securityMails.ts"

/** Mails users about changes to their accounts. */
export class SecurityNotices extends Context.Service<
  SecurityNotices,
  {
    /**
     * Mails a user about a change that was just made. Never fails: the change stands whether or not the mail goes
     * out. A user that cannot be read is logged.
     */
    readonly tell: (userId: string, notice: SecurityNotice) => Effect.Effect<void>
  }
>()("corrente/accounts/SecurityNotices") {}

export const SecurityNoticesLive = Layer.effect(
  SecurityNotices,
  Effect.gen(function* () {
    const users = yield* Users
    const mailer = yield* Mailer
    return SecurityNotices.of({
      tell: (userId, notice) =>
        Effect.gen(function* () {
          const nowMillis = yield* Clock.currentTimeMillis
          const user = yield* users.find(userId)
          if (user !== undefined) yield* mailer.send({ to: user.email, ...securityMail(notice, nowMillis) })
        }).pipe(
          Effect.catch(({ reason }) =>
            Effect.logError(`user ${userId} was not mailed about ${notice.kind}: ${reason}`),
          ),
        ),
    })
  }),
)
