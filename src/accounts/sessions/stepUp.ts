import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type { StepUpPrefs } from "../../../schema/resources/account.ts"
import { makeSessionStore } from "../../store/sessions/sessionStore.ts"
import type { UserEntity } from "../../store/users/userStore.ts"
import { askAgain } from "../askAgain.ts"
import type { Outcome } from "../outcome.ts"
import { type FactorKinds, SecondFactors } from "../twoFactor/secondFactor.ts"
import {
  invalidMfaCode,
  noSession,
  ownBackupCode,
  twoFactorOff,
  wrongPassword,
} from "../twoFactor/twoFactorErrors.ts"
import { userAsker } from "../users/askers.ts"
import { Passwords } from "../users/passwords.ts"
import { Users } from "../users/users.ts"
import type { Session } from "./session.ts"

/** A user's confirmations (spec 5.3) and which changes ask for them (spec 4.6). */
export class StepUps extends Context.Service<
  StepUps,
  {
    /**
     * Uses a code for a session: the step-up's end in ms. Fails with 401 `invalid_mfa_code` for one that is wrong or
     * used, or a backup code that this session made, 403 `mfa_required` where 2FA is off, 401 `session_required` for a session that has ended.
     */
    readonly verify: (session: Session, user: UserEntity, code: string, kinds: FactorKinds) => Outcome<number>
    /**
     * The same by a code of either kind, which must be there (400 at `code`), and the password, which must match where
     * it is sent: it is compared first, so that no code is used in vain.
     */
    readonly confirm: (
      session: Session,
      given: { readonly code?: string; readonly password?: string },
    ) => Outcome<number>
    /** Changes which changes ask for a step-up; what is left out stays. */
    readonly setPrefs: (session: Session, prefs: Partial<StepUpPrefs>) => Outcome<StepUpPrefs>
  }
>()("corrente/accounts/StepUps") {}

export const StepUpsLive = Layer.effect(
  StepUps,
  Effect.gen(function* () {
    const store = yield* makeSessionStore
    const users = yield* Users
    const passwords = yield* Passwords
    const factors = yield* SecondFactors

    const verify = Effect.fnUntraced(function* (
      session: Session,
      user: UserEntity,
      code: string,
      kinds: FactorKinds,
    ) {
      if (!user.twoFactorEnabled || user.totpSecret === undefined) return yield* twoFactorOff()
      const factor = yield* factors.read(user, code, kinds)
      const verifiedUntilMillis = (yield* Clock.currentTimeMillis) + limits.stepUpMillis
      const { kind } = yield* askAgain(
        store.stepUp({
          userId: user.id,
          passwordHash: user.passwordHash,
          sealedSecret: user.totpSecret,
          factor,
          tokenHash: session.tokenHash,
          verifiedUntilMillis,
          operation: randomUUID(),
        }),
      )
      switch (kind) {
        case "steppedUp":
          return verifiedUntilMillis
        case "noSession":
          return yield* noSession()
        case "passwordChanged":
          return yield* wrongPassword()
        case "off":
          return yield* twoFactorOff()
        case "factorRefused":
          return yield* invalidMfaCode()
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
      return yield* verify(session, user, code, ["totp", "backup"])
    })

    const setPrefs = Effect.fnUntraced(function* (session: Session, prefs: Partial<StepUpPrefs>) {
      if ((yield* users.find(session.userId)) === undefined) return yield* noSession()
      yield* users.setStepUpPrefs(session.userId, prefs)
      return yield* users.stepUpPrefs(session.userId)
    })
    return StepUps.of({ verify, confirm, setPrefs })
  }),
)
