import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { Mailer } from "../../mail/mailer.ts"
import { recoveryMail } from "../../mail/mailTexts.ts"
import { makeTwoFactorStore } from "../../store/twoFactor.ts"
import type { UserEntity } from "../../store/users.ts"
import { askAgain } from "../askAgain.ts"
import { SecurityLog } from "../securityLog.ts"
import { SecurityNotices } from "../securityNotices.ts"
import { ofUser, SellerAudit } from "../sellerAudit.ts"
import { Sessions } from "../sessions/sessions.ts"
import { AccountTokens } from "../users/accountTokenStore.ts"
import type { Asker } from "../users/fairWaitingRoom.ts"
import { Passwords } from "../users/passwords.ts"
import { Users } from "../users/users.ts"
import { makeSecondFactorLock } from "./secondFactor.ts"

/** A request to recover; the password waits as `asker`. */
export interface RecoveryRequest {
  readonly email: string
  readonly password: string
  readonly asker: Asker
}

/**
 * Turns off a lost second factor by a mailed token, valid once within 30 minutes
 * (docs/contract/accounts.md#recovery).
 */
export class TwoFactorRecovery extends Context.Service<
  TwoFactorRecovery,
  {
    /** Mails a link to a seller user with 2FA and that password. Takes as long and answers the same for anyone else. */
    readonly request: (
      asked: RecoveryRequest,
      linkOf: (token: string) => string,
    ) => Effect.Effect<void, ApiError<"service_unavailable"> | StoreUnavailable>
    /**
     * Turns 2FA off, ends all sessions and locks withdrawals for 24 h; returns the end of the lock in ms, or undefined where the user may make none. Fails with
     * 401 `invalid_mfa_code` if the token is unknown, expired or used, which locks nothing. A token that another request
     * uses or voids meanwhile is refused as well; withdrawals may then be locked already.
     */
    readonly confirm: (
      token: string,
    ) => Effect.Effect<
      number | undefined,
      ApiError<"invalid_mfa_code" | "service_unavailable"> | StoreUnavailable
    >
  }
>()("corrente/accounts/TwoFactorRecovery") {}

const badRecoveryToken = (): ApiError<"invalid_mfa_code"> =>
  new ApiError({
    code: "invalid_mfa_code",
    param: "token",
    message: "This recovery token is unknown, expired or used. Ask for a new mail.",
  })

const mayRecover = (user: UserEntity | undefined): user is UserEntity =>
  user !== undefined && user.role === "seller" && user.twoFactorEnabled && user.disabledAtMillis === undefined

export const TwoFactorRecoveryLive = Layer.effect(
  TwoFactorRecovery,
  Effect.gen(function* () {
    const store = yield* makeTwoFactorStore
    const lockWithdrawals = yield* makeSecondFactorLock
    const tokens = yield* AccountTokens
    const users = yield* Users
    const passwords = yield* Passwords
    const mailer = yield* Mailer
    const sessions = yield* Sessions
    const notices = yield* SecurityNotices
    const log = yield* SecurityLog
    const audit = yield* SellerAudit
    return TwoFactorRecovery.of({
      request: Effect.fnUntraced(function* ({ email, password, asker }, linkOf) {
        const user = yield* users.findByEmail(email)
        const isRight = yield* passwords.verify(password, user?.passwordHash, asker)
        const recovering = isRight && mayRecover(user) ? user : undefined
        const life = limits.recoveryTokenMillis
        const token = yield* tokens.issue(email, recovering, "recover_two_factor", life)
        if (recovering === undefined) {
          const reason = user === undefined ? "unknown_email" : isRight ? "not_eligible" : "wrong_password"
          return yield* log.refused("2FA recovery", reason, { userId: user?.id })
        }
        yield* mailer.send({ to: recovering.email, ...recoveryMail(linkOf(token)) })
      }),
      confirm: Effect.fnUntraced(function* (text) {
        const found = yield* tokens.find(text, "recover_two_factor")
        if (found === undefined || !mayRecover(found.user)) {
          yield* log.refused("2FA recovery", "bad_token", { userId: found?.user.id })
          return yield* badRecoveryToken()
        }
        const { id, sellerId, passwordHash, totpSecret: sealedSecret } = found.user
        // First, so that a crash in between leaves withdrawals locked with 2FA still on, and the user can retry.
        const untilMillis = yield* lockWithdrawals(found.user)
        const nowMillis = yield* Clock.currentTimeMillis
        const recovering = {
          userId: id,
          tokenHash: found.tokenHash,
          passwordHash,
          sealedSecret,
          nowMillis,
          operation: randomUUID(),
        }
        const { kind } = yield* askAgain(store.recover(recovering))
        if (kind === "tokenUsed") return yield* badRecoveryToken()
        yield* sessions.endStreams({ userId: id, sellerId })
        yield* log.revoked("all sessions", { userId: id }, "2FA recovery")
        yield* audit.did({ userId: id, sellerId }, ofUser("user.second_factor_recovered", id))
        yield* notices.tell(id, { kind: "two_factor_recovered", lockedUntilMillis: untilMillis })
        return untilMillis
      }),
    })
  }),
)
