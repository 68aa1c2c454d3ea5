import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type { StepUpPrefs } from "../../../schema/resources/account.ts"
import { makeSessionStore } from "../../store/sessions.ts"
import type { UserEntity } from "../../store/users.ts"
import { askAgain } from "../askAgain.ts"
import type { Outcome } from "../outcome.ts"
import { type GivenFactor, SecondFactors } from "../twoFactor/secondFactor.ts"
import {
  noSession,
  ownBackupCode,
  refusedFactor,
  twoFactorOff,
  wrongPassword,
} from "../twoFactor/twoFactorErrors.ts"
import { newTokenOf } from "../users/accountTokenStore.ts"
import { userAsker } from "../users/fairWaitingRoom.ts"
import { Passwords } from "../users/passwords.ts"
import { Users } from "../users/users.ts"
import type { Session } from "./session.ts"

/** A session that was stepped up. */
export interface SteppedUp {
  /** When the step-up ends, in ms. */
  readonly untilMillis: number
  /** The new token of the session, for its cookie only; undefined if the session keeps its token. */
  readonly token: string | undefined
}

/**
 * Step-ups (docs/contract/accounts.md#step-up), and which changes need one
 * (docs/contract/accounts.md#step-up-preferences).
 */
export class StepUps extends Context.Service<
  StepUps,
  {
    /**
     * Steps a session up by a code or a passkey, and gives it a new token: what was copied of the one before is not stepped up, and
     * soon worthless. A session that was found under its former token keeps the one it has. Fails with 401 `invalid_mfa_code` if the
     * factor is wrong, used, or a backup code or passkey made in this session, 403 `mfa_required` if 2FA is off, 401
     * `session_required` if the session has ended.
     */
    readonly verify: (
      session: Session,
      user: UserEntity,
      given: GivenFactor,
    ) => Outcome<
      SteppedUp,
      "invalid_credentials" | "invalid_mfa_code" | "mfa_required" | "rate_limited" | "session_required"
    >
    /**
     * The same with a code of either kind, which is required (400 at `code`), and a password, which must match if
     * sent. The password is checked first, so that no code is wasted.
     */
    readonly confirm: (
      session: Session,
      given: { readonly code?: string; readonly password?: string },
    ) => Outcome<
      SteppedUp,
      | "invalid_credentials"
      | "invalid_mfa_code"
      | "mfa_required"
      | "rate_limited"
      | "service_unavailable"
      | "session_required"
      | "validation_failed"
    >
    /** Sets which changes need a step-up; omitted ones stay. */
    readonly setPrefs: (
      session: Session,
      prefs: Partial<StepUpPrefs>,
    ) => Outcome<StepUpPrefs, "session_required">
  }
>()("corrente/accounts/StepUps") {}

export const StepUpsLive = Layer.effect(
  StepUps,
  Effect.gen(function* () {
    const store = yield* makeSessionStore
    const users = yield* Users
    const passwords = yield* Passwords
    const factors = yield* SecondFactors

    const verify = Effect.fnUntraced(function* (session: Session, user: UserEntity, given: GivenFactor) {
      if (!user.twoFactorEnabled || user.totpSecret === undefined) return yield* twoFactorOff()
      const factor = yield* factors.read(user, given, {
        place: "session",
        tokenHash: session.tokenHash,
        sessionId: session.id,
      })
      const untilMillis = (yield* Clock.currentTimeMillis) + limits.stepUpMillis
      const next = newTokenOf(session)
      const { kind } = yield* askAgain(
        store.stepUp({
          userId: user.id,
          passwordHash: user.passwordHash,
          sealedSecret: user.totpSecret,
          factor,
          tokenHash: session.tokenHash,
          verifiedUntilMillis: untilMillis,
          operation: randomUUID(),
          newTokenHash: next?.tokenHash,
        }),
      )
      switch (kind) {
        case "steppedUp":
          return { untilMillis, token: undefined }
        case "moved":
          return { untilMillis, token: next?.token }
        case "noSession":
          return yield* noSession()
        case "passwordChanged":
          return yield* wrongPassword()
        case "off":
          return yield* twoFactorOff()
        case "factorRefused":
          return yield* refusedFactor(given)
        case "ownCode":
          return yield* ownBackupCode()
      }
    })

    const confirm = Effect.fnUntraced(function* (
      session: Session,
      { code, password }: { readonly code?: string; readonly password?: string },
    ) {
      const user = yield* users.find(session.userId)
      if (user === undefined) return yield* noSession()
      if (!user.twoFactorEnabled) return yield* twoFactorOff()
      if (code === undefined) {
        return yield* validationFailed("code", "Send code: one of the authenticator's, or a backup code.")
      }
      const asker = userAsker(user.id)
      if (password !== undefined && !(yield* passwords.verify(password, user.passwordHash, asker))) {
        return yield* wrongPassword()
      }
      return yield* verify(session, user, { code, kinds: ["totp", "backup"] })
    })

    const setPrefs = Effect.fnUntraced(function* (session: Session, prefs: Partial<StepUpPrefs>) {
      if ((yield* users.find(session.userId)) === undefined) return yield* noSession()
      yield* users.setStepUpPrefs(session.userId, prefs)
      return yield* users.stepUpPrefs(session.userId)
    })
    return StepUps.of({ verify, confirm, setPrefs })
  }),
)
