import { hash } from "node:crypto"
import { Effect } from "effect"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import type { securityGroup } from "../../../schema/api/account.ts"
import { sessionCookieName } from "../../../schema/api/security.ts"
import { limits } from "../../../schema/limits.ts"
import { SecurityLog } from "../../accounts/securityLog.ts"
import { ofUser, SellerAudit } from "../../accounts/sellerAudit.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import { Sessions } from "../../accounts/sessions/sessions.ts"
import { StepUps } from "../../accounts/sessions/stepUp.ts"
import { TrustedDevices } from "../../accounts/twoFactor/trustedDevices.ts"
import { TwoFactor } from "../../accounts/twoFactor/twoFactor.ts"
import { noSession } from "../../accounts/twoFactor/twoFactorErrors.ts"
import { type ChangedPassword, PasswordChange } from "../../accounts/users/passwordChange.ts"
import { Users } from "../../accounts/users/users.ts"
import { Settings } from "../../config/settings.ts"
import type { TryPlace } from "../../store/twoFactor.ts"
import type { BrowserRequest } from "../contract/browserRequest.ts"
import { clearedCookie, movedCookie, trustCookie, trustCookieName } from "../contract/cookies.ts"
import { type NamedBucket, withinQuota } from "../contract/quota.ts"
import type { Reply, ReplyHeaders, RequestFailure } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"
import { makeUserResource } from "./userResource.ts"

/**
 * What a user may try five times a minute, over all sessions and processes (`docs/contract/accounts.md#rate-limits`).
 */
const userBucket = (policy: string, what: string, partitions: number, whose: string): NamedBucket => {
  const digest = hash("sha256", whose)
  return {
    policy,
    bucket: {
      partition: Number.parseInt(digest.slice(0, 4), 16) % partitions,
      name: `${policy}:${digest}`,
      capacity: limits.secondFactorsPerMinute,
      windowMillis: limits.rateWindowMillis,
    },
    message: `${what} may be sent ${limits.secondFactorsPerMinute} times a minute. Try again after Retry-After.`,
  }
}

/** The bucket that every code of a user takes a token from in one place, whatever the route. */
export const codeBucket = (partitions: number, userId: string, place: TryPlace): NamedBucket =>
  userBucket("second-factor", "Codes", partitions, `${userId} ${place}`)

/** The bucket that every password of a signed-in user takes a token from, whatever the route. */
const passwordBucket = (partitions: number, userId: string): NamedBucket =>
  userBucket("password", "The password", partitions, userId)

const json = (value: unknown, headers: ReplyHeaders = []): Reply => ({
  status: 200,
  body: JSON.stringify(value),
  headers,
})

type SecurityHandlers = GroupHandlers<typeof securityGroup>

/** Limits and logs what a user confirms by password. */
const makeByPassword = Effect.gen(function* () {
  const limiter = yield* RateLimiter
  const log = yield* SecurityLog
  const { partitions } = yield* Settings
  return <E extends RequestFailure>(session: Session, answer: Effect.Effect<Reply, E>) =>
    log.watch(
      "password confirmation",
      { userId: session.userId },
      withinQuota(limiter, [passwordBucket(partitions, session.userId)], answer),
    )
})

const makeTwoFactorHandlers = Effect.gen(function* () {
  const twoFactor = yield* TwoFactor
  const sessions = yield* Sessions
  const log = yield* SecurityLog
  const audit = yield* SellerAudit
  const byPassword = yield* makeByPassword

  const handlers: Pick<SecurityHandlers, "enableTwoFactor" | "disableTwoFactor" | "generateBackupCodes"> = {
    enableTwoFactor: ({ payload, session }) =>
      byPassword(
        session,
        Effect.map(
          twoFactor.enable(session, payload.password, payload.mail_code),
          ({ totpUri, backupCodes }) => json({ method: "totp", totpURI: totpUri, backupCodes }),
        ),
      ),

    disableTwoFactor: ({ payload, session, browser }) =>
      byPassword(
        session,
        Effect.map(
          twoFactor
            .disable(session, payload.password)
            .pipe(
              Effect.andThen(sessions.endStreams(session)),
              Effect.andThen(log.revoked("all sessions", { userId: session.userId }, "2FA turned off")),
              Effect.andThen(audit.did(session, ofUser("user.second_factor_disabled", session.userId))),
            ),
          () =>
            json(
              { status: true },
              [sessionCookieName, trustCookieName].flatMap((name) => clearedCookie(browser, name)),
            ),
        ),
      ),

    generateBackupCodes: ({ payload, session }) =>
      byPassword(
        session,
        Effect.map(
          Effect.tap(
            twoFactor.replaceBackupCodes(session, payload.password),
            Effect.andThen(
              log.revoked("backup codes", { userId: session.userId }, "replaced"),
              audit.did(session, ofUser("user.backup_codes_replaced", session.userId)),
            ),
          ),
          (backupCodes) => json({ backupCodes }),
        ),
      ),
  }
  return handlers
})

const makePasswordHandlers = Effect.gen(function* () {
  const log = yield* SecurityLog
  const audit = yield* SellerAudit
  const changes = yield* PasswordChange
  const devices = yield* TrustedDevices
  const byPassword = yield* makeByPassword
  const userResource = yield* makeUserResource

  /** Sets the session's new token, and renews the trust in a device that the old password had. */
  const answerChange = (session: Session, browser: BrowserRequest) =>
    Effect.fnUntraced(function* ({ before, user, token }: ChangedPassword) {
      const isTrusted = yield* devices.isTrusted(browser.cookies(trustCookieName)[0], before)
      return json({ token: null, user: yield* userResource(user) }, [
        ...movedCookie(browser, session, token),
        ...(isTrusted ? trustCookie(browser, yield* devices.issue(user)) : []),
      ])
    })

  const handlers: Pick<SecurityHandlers, "changePassword"> = {
    changePassword: ({ payload, session, browser }) => {
      const { currentPassword, newPassword, revokeOtherSessions = false } = payload
      const ended = revokeOtherSessions
        ? log.revoked("all sessions", { userId: session.userId }, "password changed")
        : Effect.void
      const changing = Effect.tap(
        changes.change(session, { currentPassword, newPassword, revokeOtherSessions }),
        Effect.andThen(ended, audit.did(session, ofUser("user.password_changed", session.userId))),
      )
      return byPassword(session, Effect.flatMap(changing, answerChange(session, browser)))
    },
  }
  return handlers
})

const makeStepUpHandlers = Effect.gen(function* () {
  const limiter = yield* RateLimiter
  const users = yield* Users
  const stepUps = yield* StepUps
  const log = yield* SecurityLog
  const audit = yield* SellerAudit
  const { partitions } = yield* Settings

  const handlers: Pick<SecurityHandlers, "stepUp" | "getStepUpPrefs" | "putStepUpPrefs"> = {
    stepUp: ({ payload, session, browser }) => {
      const answer = Effect.map(stepUps.confirm(session, payload), ({ untilMillis, token }) =>
        json(
          { mfa_verified_until: new Date(untilMillis).toISOString() },
          movedCookie(browser, session, token),
        ),
      )
      const { userId } = session
      // The password is checked before the code and the answer tells whether it is right, so it has its own limit here too.
      const byPassword = payload.password === undefined ? [] : [passwordBucket(partitions, userId)]
      const quoted = withinQuota(limiter, [...byPassword, codeBucket(partitions, userId, "session")], answer)
      return log.watch("step-up", { userId, ipAddress: browser.ipAddress }, quoted)
    },

    getStepUpPrefs: ({ session }) => Effect.map(users.stepUpPrefs(session.userId), (prefs) => json(prefs)),

    putStepUpPrefs: ({ payload, session }) =>
      Effect.map(
        Effect.tap(stepUps.setPrefs(session, payload), () =>
          audit.did(session, ofUser("user.step_up_preferences_changed", session.userId, { ...payload })),
        ),
        (prefs) => json(prefs),
      ),
  }
  return handlers
})

const makeProfileHandlers = Effect.gen(function* () {
  const users = yield* Users
  const handlers: Pick<SecurityHandlers, "updateUser"> = {
    updateUser: Effect.fnUntraced(function* ({ payload, session }) {
      if (!(yield* users.rename(session.userId, payload.name))) return yield* noSession()
      return json({ status: true })
    }),
  }
  return handlers
})

/** Routes of a user's name, second factor, password, step-ups and preferences. */
export const makeSecurityHandlers = Effect.gen(function* () {
  const handlers: SecurityHandlers = {
    ...(yield* makeTwoFactorHandlers),
    ...(yield* makePasswordHandlers),
    ...(yield* makeStepUpHandlers),
    ...(yield* makeProfileHandlers),
  }
  return handlers
})
