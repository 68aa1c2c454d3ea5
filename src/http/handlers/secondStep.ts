import { Effect } from "effect"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import type { secondStepGroup } from "../../../schema/api/auth.ts"
import { sessionCookieName } from "../../../schema/api/security.ts"
import { SecurityLog } from "../../accounts/securityLog.ts"
import { ofUser, SellerAudit } from "../../accounts/sellerAudit.ts"
import { KnownDevices } from "../../accounts/sessions/knownDevices.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import { Sessions } from "../../accounts/sessions/sessions.ts"
import { StepUps } from "../../accounts/sessions/stepUp.ts"
import type { FactorKinds } from "../../accounts/twoFactor/secondFactor.ts"
import { TrustedDevices } from "../../accounts/twoFactor/trustedDevices.ts"
import { TwoFactor } from "../../accounts/twoFactor/twoFactor.ts"
import { noSession } from "../../accounts/twoFactor/twoFactorErrors.ts"
import { type PendingSignIn, SecondSteps } from "../../accounts/twoFactor/twoFactorSignIn.ts"
import { Users, userResource } from "../../accounts/users/users.ts"
import { Settings } from "../../config/settings.ts"
import type { UserEntity } from "../../store/users.ts"
import type { BrowserRequest } from "../contract/browserRequest.ts"
import {
  clearedCookie,
  movedCookie,
  pendingCookieName,
  sessionCookie,
  trustCookie,
  trustCookieName,
} from "../contract/cookies.ts"
import { withinQuota } from "../contract/quota.ts"
import { firstFound } from "../contract/sessionGuard.ts"
import type { ReplyHeaders } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"
import { codeBucket } from "./security.ts"
import { replaceShown } from "./sessions.ts"

/** The request of both routes. */
interface Asking {
  readonly payload: { readonly code: string; readonly trustDevice?: boolean }
  readonly browser: BrowserRequest
}

interface Verification {
  readonly browser: BrowserRequest
  readonly code: string
  readonly trustDevice: boolean
  readonly kinds: FactorKinds
}

/**
 * Routes that take a code: for the second step of a sign-in, or else to enable 2FA or step up
 * (`docs/contract/accounts.md#second-step`).
 */
export const makeSecondStepHandlers = Effect.gen(function* () {
  const limiter = yield* RateLimiter
  const users = yield* Users
  const sessions = yield* Sessions
  const steps = yield* SecondSteps
  const stepUps = yield* StepUps
  const twoFactor = yield* TwoFactor
  const devices = yield* TrustedDevices
  const known = yield* KnownDevices
  const log = yield* SecurityLog
  const audit = yield* SellerAudit
  const { partitions } = yield* Settings

  const answer = Effect.fnUntraced(function* (
    { browser, trustDevice }: Verification,
    user: UserEntity,
    headers: ReplyHeaders,
  ) {
    const trusted = trustDevice ? trustCookie(browser, yield* devices.issue(user)) : []
    return {
      status: 200,
      body: JSON.stringify({ user: userResource(user) }),
      headers: [...headers, ...trusted],
    }
  })

  const signIn = Effect.fnUntraced(function* (pending: PendingSignIn, asked: Verification, isKnown: boolean) {
    const { browser, code, kinds } = asked
    const origin = { ipAddress: browser.ipAddress || undefined, userAgent: browser.userAgent }
    const { token, rememberMe } = yield* steps.complete(pending, { code, kinds, origin, isKnown })
    yield* replaceShown(sessions, browser, pending.user.id, token)
    const { id, sellerId } = pending.user
    const details = { second_step: kinds[0] }
    yield* audit.did({ userId: id, sellerId }, ofUser("user.signed_in", id, details))
    yield* known.signedIn(pending.user, origin, undefined)
    return yield* answer(asked, pending.user, [
      ...sessionCookie(browser, token, rememberMe),
      ...clearedCookie(browser, pendingCookieName),
    ])
  })

  const bySession = Effect.fnUntraced(function* (session: Session, asked: Verification) {
    const { code, kinds } = asked
    const user = yield* users.find(session.userId)
    if (user === undefined) return yield* noSession()
    // Only a code of the authenticator itself shows that it was set up.
    if (!user.twoFactorEnabled && kinds.includes("totp")) {
      const confirmed = yield* twoFactor.confirm(session, user, code)
      yield* log.write("second_factor.enabled", { user_id: user.id, seller_id: user.sellerId })
      yield* audit.did(session, ofUser("user.second_factor_enabled", user.id))
      return yield* answer(asked, confirmed.user, movedCookie(asked.browser, session, confirmed.token))
    }
    const { token } = yield* stepUps.verify(session, user, code, kinds)
    return yield* answer(asked, user, movedCookie(asked.browser, session, token))
  })

  const verify = (kinds: FactorKinds) =>
    Effect.fnUntraced(function* ({ payload, browser }: Asking) {
      const { ipAddress } = browser
      const asked = { browser, code: payload.code, trustDevice: payload.trustDevice ?? false, kinds }
      const pending = yield* firstFound(browser.cookies(pendingCookieName), steps.find)
      if (pending !== undefined) {
        const userId = pending.user.id
        const device = {
          ipAddress: ipAddress || undefined,
          trustedDevice: browser.cookies(trustCookieName)[0],
        }
        const isKnown = (yield* known.knownAs(pending.user, device)) !== undefined
        // A stranger who has the password must not use up the codes of the owner's devices and sessions.
        const bucket = codeBucket(partitions, userId, isKnown ? "known" : "stranger")
        const quoted = withinQuota(limiter, [bucket], signIn(pending, asked, isKnown))
        return yield* log.watch("second step of a sign-in", { userId, ipAddress }, quoted)
      }
      const session = yield* firstFound(browser.cookies(sessionCookieName), sessions.find)
      if (session === undefined) return yield* noSession()
      const { userId } = session
      const quoted = withinQuota(
        limiter,
        [codeBucket(partitions, userId, "session")],
        bySession(session, asked),
      )
      return yield* log.watch("step-up", { userId, ipAddress }, quoted)
    })

  const handlers: GroupHandlers<typeof secondStepGroup> = {
    verifyTotp: verify(["totp"]),
    verifyBackupCode: verify(["backup"]),
  }
  return handlers
})
