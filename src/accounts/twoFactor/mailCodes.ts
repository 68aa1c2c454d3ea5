import { randomInt, randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { ApiError } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { Mailer } from "../../mail/mailer.ts"
import { enrolmentMail } from "../../mail/mailTexts.ts"
import { makeMailCodeStore } from "../../store/mailCodes.ts"
import type { UserEntity } from "../../store/users.ts"
import { AccountSecrets } from "../accountSecrets.ts"
import { askAgain } from "../askAgain.ts"
import type { Outcome } from "../outcome.ts"
import { bindingOf } from "../users/accountTokenStore.ts"

/**
 * Codes that are mailed to a user who turns 2FA on (docs/contract/accounts.md#mailed-code): without one, whoever knows the
 * password could enrol an authenticator of their own.
 */
export class MailCodes extends Context.Service<
  MailCodes,
  {
    /**
     * Mails a new code, which ends the one before; sends none where one was mailed in the last minute. Fails with 429
     * `rate_limited` after ten in a day.
     */
    readonly send: (user: UserEntity) => Outcome<void, "rate_limited">
    /** Uses up the code. Fails with 401 `invalid_mfa_code` at `mail_code` if it is wrong, expired or used, which counts. */
    readonly use: (user: UserEntity, code: string) => Outcome<void, "invalid_mfa_code">
  }
>()("corrente/accounts/MailCodes") {}

const draw = (): string => String(randomInt(10 ** limits.mailCodeDigits)).padStart(limits.mailCodeDigits, "0")

/** As mailed: `1234 5678`. */
const shown = (code: string): string => `${code.slice(0, 4)} ${code.slice(4)}`

const badMailCode = (): ApiError<"invalid_mfa_code"> =>
  new ApiError({
    code: "invalid_mfa_code",
    param: "mail_code",
    message:
      "This is not the code that was mailed last, or it has expired, was used, or was tried too often. Leave mail_code out to get a new one.",
  })

const tooManyMails = (waitMillis: number): ApiError<"rate_limited"> =>
  new ApiError({
    code: "rate_limited",
    message: `${limits.mailCodesMax} codes were mailed in a day, the most that are. If you did not ask for them, somebody knows your password: change it, which also ends this wait.`,
    retryAfterSeconds: Math.max(1, Math.ceil(waitMillis / 1_000)),
  })

export const MailCodesLive = Layer.effect(
  MailCodes,
  Effect.gen(function* () {
    const store = yield* makeMailCodeStore
    const { fingerprints } = yield* AccountSecrets
    const mailer = yield* Mailer

    /**
     * A code as it is stored: too short for a bare hash, and worthless with another user or password. Only the newest key counts:
     * a code lives for minutes, and another is mailed.
     */
    const stored = (user: UserEntity, code: string) =>
      Effect.map(Clock.currentTimeMillis, (nowMillis) => ({
        userId: user.id,
        storedCode: fingerprints(`mail code ${user.id} ${code}`)[0],
        binding: bindingOf(user.passwordHash),
        nowMillis,
      }))

    return MailCodes.of({
      send: Effect.fnUntraced(function* (user) {
        const code = draw()
        const issued = yield* askAgain(store.issue(yield* stored(user, code)))
        if (issued.kind === "tooMany") return yield* tooManyMails(issued.waitMillis)
        if (issued.kind === "issued") yield* mailer.send({ to: user.email, ...enrolmentMail(shown(code)) })
      }),
      use: Effect.fnUntraced(function* (user, text) {
        const asked = yield* stored(user, text.replace(/[\s-]/g, ""))
        const { kind } = yield* askAgain(store.use({ ...asked, operation: randomUUID() }))
        if (kind === "wrong") return yield* badMailCode()
      }),
    })
  }),
)
