import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { limits } from "../../../schema/limits.ts"
import { makeTwoFactorStore } from "../../store/twoFactor.ts"
import type { UserEntity } from "../../store/users.ts"
import { AccountSecrets } from "../accountSecrets.ts"
import { askAgain } from "../askAgain.ts"
import type { Outcome } from "../outcome.ts"
import { SecurityNotices } from "../securityNotices.ts"
import type { Session } from "../sessions/session.ts"
import { newTokenOf } from "../users/accountTokenStore.ts"
import { userAsker } from "../users/fairWaitingRoom.ts"
import { Passwords } from "../users/passwords.ts"
import { Users } from "../users/users.ts"
import { BackupCodes } from "./backupCodes.ts"
import { MailCodes } from "./mailCodes.ts"
import { makeSecondFactorLock, SecondFactors } from "./secondFactor.ts"
import { newTotpSecret, totpUri } from "./totp.ts"
import {
  invalidMfaCode,
  mailCodeRequired,
  noSession,
  operatorsByOps,
  stepUpRequired,
  twoFactorOff,
  wrongPassword,
  wrongTwoFactorState,
} from "./twoFactorErrors.ts"

/** The result of enabling 2FA, shown once. */
export interface NewTwoFactor {
  /** `otpauth://…`, for an authenticator. */
  readonly totpUri: string
  readonly backupCodes: ReadonlyArray<string>
}

/**
 * Turns the second factor of a user on and off (docs/contract/accounts.md#two-factor). Wrong passwords fail with 401
 * `invalid_credentials`. A password does not replace the second factor: what weakens it fails with 403 `mfa_required`
 * in a session that is not stepped up.
 */
export class TwoFactor extends Context.Service<
  TwoFactor,
  {
    /**
     * Begins to turn it on; repeated before `confirm`, starts over. 409 `invalid_state` if it is on. Later than 15
     * minutes after sign-up it takes a mailed code: 403 `mail_code_required` without one, which mails it, and 401
     * `invalid_mfa_code` at `mail_code` for a wrong one. 403 `permission_denied` for operators, whom `ops` enrols.
     */
    readonly enable: (
      session: Session,
      password: string,
      mailCode?: string,
    ) => Outcome<
      NewTwoFactor,
      | "invalid_credentials"
      | "invalid_mfa_code"
      | "invalid_state"
      | "mail_code_required"
      | "permission_denied"
      | "rate_limited"
      | "service_unavailable"
      | "session_required"
    >
    /**
     * Turns it on by a code of the new secret, which also steps the session up, as `StepUps` does: `token` is its new
     * token, if it has one. Later than 15 minutes after sign-up it locks withdrawals for 24 h first. Fails with 401 `invalid_mfa_code`, 401 `session_required` if the session has
     * ended, 403 `mfa_required` if none is waiting, 403 `permission_denied` for operators.
     */
    readonly confirm: (
      session: Session,
      user: UserEntity,
      code: string,
    ) => Outcome<
      { readonly user: UserEntity; readonly token: string | undefined },
      | "invalid_mfa_code"
      | "mfa_required"
      | "permission_denied"
      | "rate_limited"
      | "service_unavailable"
      | "session_required"
    >
    /**
     * Turns it off, ends all sessions and locks withdrawals for 24 h; trusted devices end by themselves. Needs a
     * step-up. 409 `invalid_state` if it is off, 403 `permission_denied` for operators.
     */
    readonly disable: (
      session: Session,
      password: string,
    ) => Outcome<
      void,
      | "invalid_credentials"
      | "invalid_state"
      | "mfa_required"
      | "permission_denied"
      | "rate_limited"
      | "service_unavailable"
      | "session_required"
    >
    /** New backup codes; the old ones end. Needs a step-up. 409 `invalid_state` if 2FA is off. */
    readonly replaceBackupCodes: (
      session: Session,
      password: string,
    ) => Outcome<
      ReadonlyArray<string>,
      "invalid_credentials" | "invalid_state" | "mfa_required" | "service_unavailable" | "session_required"
    >
  }
>()("corrente/accounts/TwoFactor") {}

/** Whether the mailbox has to confirm that a second factor is turned on: sign-up is over, and it may be somebody else. */
const isLate = (user: UserEntity, nowMillis: number): boolean =>
  nowMillis > user.createdAtMillis + limits.enrolmentWithoutMailMillis

const make = Effect.gen(function* () {
  const store = yield* makeTwoFactorStore
  const users = yield* Users
  const passwords = yield* Passwords
  const secrets = yield* AccountSecrets
  const backupCodes = yield* BackupCodes
  const factors = yield* SecondFactors
  const lockWithdrawals = yield* makeSecondFactorLock
  const notices = yield* SecurityNotices
  const mailCodes = yield* MailCodes

  /** The user of a session, after checking the password. */
  const userBy = Effect.fnUntraced(function* (session: Session, password: string) {
    const user = yield* users.find(session.userId)
    if (user === undefined) return yield* noSession()
    if (!(yield* passwords.verify(password, user.passwordHash, userAsker(user.id))))
      return yield* wrongPassword()
    return user
  })

  /** The same if 2FA is on; a session that is not stepped up is refused before the password is checked. */
  const confirmedUserBy = Effect.fnUntraced(function* (session: Session, password: string) {
    const before = yield* users.find(session.userId)
    const isSteppedUp = session.mfaVerifiedUntilMillis > (yield* Clock.currentTimeMillis)
    if (before?.twoFactorEnabled === true && !isSteppedUp) return yield* stepUpRequired()
    const user = yield* userBy(session, password)
    if (!user.twoFactorEnabled) return yield* wrongTwoFactorState(false)
    return user
  })

  const enable = Effect.fnUntraced(function* (session: Session, password: string, mailCode?: string) {
    if (session.role === "admin") return yield* operatorsByOps()
    const user = yield* userBy(session, password)
    if (user.twoFactorEnabled) return yield* wrongTwoFactorState(true)
    if (isLate(user, yield* Clock.currentTimeMillis)) {
      if (mailCode === undefined) {
        yield* mailCodes.send(user)
        return yield* mailCodeRequired()
      }
      yield* mailCodes.use(user, mailCode)
    }
    const { id: userId, passwordHash, email } = user
    const secret = newTotpSecret()
    const { codes, stored } = backupCodes.draw(userId)
    const nowMillis = yield* Clock.currentTimeMillis
    const sealedSecret = secrets.seal(secret, sealedPlaces.totpSecret(userId))
    const asked = { userId, sessionId: session.id, passwordHash, nowMillis }
    const enabling = { ...asked, sealedSecret, storedCodes: stored }
    const { kind } = yield* askAgain(store.enable(enabling))
    if (kind === "on") return yield* wrongTwoFactorState(true)
    if (kind === "passwordChanged") return yield* wrongPassword()
    return { totpUri: totpUri(secret, email), backupCodes: codes }
  })

  const confirm = Effect.fnUntraced(function* (session: Session, user: UserEntity, code: string) {
    if (user.role === "admin") return yield* operatorsByOps()
    const sealedSecret = user.totpSecretPending
    if (sealedSecret === undefined) return yield* twoFactorOff()
    const { tokenHash } = session
    const step = yield* factors.pendingStep(user, code, { place: "session", tokenHash })
    const nowMillis = yield* Clock.currentTimeMillis
    // First, so that a crash in between leaves withdrawals locked and 2FA off, and the user can retry.
    const lockedUntilMillis = isLate(user, nowMillis) ? yield* lockWithdrawals(user) : undefined
    const next = newTokenOf(session)
    const { kind } = yield* askAgain(
      store.confirm({
        userId: user.id,
        tokenHash,
        sealedSecret,
        step,
        verifiedUntilMillis: nowMillis + limits.stepUpMillis,
        operation: randomUUID(),
        nowMillis,
        newTokenHash: next?.tokenHash,
      }),
    )
    if (kind === "noSession") return yield* noSession()
    if (kind === "refused") return yield* invalidMfaCode()
    yield* notices.tell(user.id, { kind: "two_factor_enabled", lockedUntilMillis })
    const changed = { twoFactorEnabled: true, totpSecret: sealedSecret, totpLastStep: step }
    return {
      user: { ...user, ...changed, updatedAtMillis: nowMillis },
      token: kind === "moved" ? next?.token : undefined,
    }
  })

  const disable = Effect.fnUntraced(function* (session: Session, password: string) {
    if (session.role === "admin") return yield* operatorsByOps()
    const user = yield* confirmedUserBy(session, password)
    const { id: userId, passwordHash } = user
    const { tokenHash } = session
    // First, so that a crash in between leaves withdrawals locked with 2FA still on, and the user can retry.
    const lockedUntilMillis = yield* lockWithdrawals(user)
    const nowMillis = yield* Clock.currentTimeMillis
    const { kind } = yield* askAgain(store.disable({ userId, tokenHash, passwordHash, nowMillis }))
    if (kind === "wasOff") return yield* wrongTwoFactorState(false)
    if (kind === "passwordChanged") return yield* wrongPassword()
    if (kind === "notSteppedUp") return yield* stepUpRequired()
    yield* notices.tell(userId, { kind: "two_factor_disabled", lockedUntilMillis })
  })

  const replace = Effect.fnUntraced(function* (session: Session, password: string) {
    const { id: userId, passwordHash } = yield* confirmedUserBy(session, password)
    const { codes, stored } = backupCodes.draw(userId)
    const { id: sessionId, tokenHash } = session
    const nowMillis = yield* Clock.currentTimeMillis
    const asked = { userId, sessionId, tokenHash, passwordHash, nowMillis }
    const { kind } = yield* askAgain(store.replaceBackupCodes({ ...asked, storedCodes: stored }))
    if (kind === "off") return yield* wrongTwoFactorState(false)
    if (kind === "notSteppedUp") return yield* stepUpRequired()
    if (kind === "passwordChanged") return yield* wrongPassword()
    yield* notices.tell(userId, { kind: "backup_codes_replaced" })
    return codes
  })
  return TwoFactor.of({ enable, confirm, disable, replaceBackupCodes: replace })
})

export const TwoFactorLive = Layer.effect(TwoFactor, make)
