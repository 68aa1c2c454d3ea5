import { Effect } from "effect"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import type { secondStepGroup } from "../../../schema/api/auth.ts"
import type { passkeyStepGroup } from "../../../schema/api/passkeys.ts"
import { sessionCookieName } from "../../../schema/api/security.ts"
import { SecurityLog } from "../../accounts/securityLog.ts"
import { ofUser, SellerAudit } from "../../accounts/sellerAudit.ts"
import { KnownDevices } from "../../accounts/sessions/knownDevices.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import { Sessions } from "../../accounts/sessions/sessions.ts"
import { StepUps } from "../../accounts/sessions/stepUp.ts"
import { Passkeys } from "../../accounts/twoFactor/passkeys.ts"
import type { GivenFactor } from "../../accounts/twoFactor/secondFactor.ts"
import { TrustedDevices } from "../../accounts/twoFactor/trustedDevices.ts"
import { TwoFactor } from "../../accounts/twoFactor/twoFactor.ts"
import { noSession } from "../../accounts/twoFactor/twoFactorErrors.ts"
import { type PendingSignIn, SecondSteps } from "../../accounts/twoFactor/twoFactorSignIn.ts"
import { Users } from "../../accounts/users/users.ts"
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
import { makeAuthSessions } from "./authSession.ts"
import { codeBucket } from "./security.ts"
import { replaceShown } from "./sessions.ts"
import { makeUserResource } from "./userResource.ts"

interface Verification {
  readonly browser: BrowserRequest
  readonly given: GivenFactor
  readonly method: "totp" | "backup" | "passkey"
  readonly trustDevice: boolean
}

/**
 * Routes that take a code or a passkey: for the second step of a sign-in, or else to enable 2FA or step up
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
  const passkeys = yield* Passkeys
  const shown = yield* makeAuthSessions
  const userResource = yield* makeUserResource
  const { partitions } = yield* Settings

  /** As better-auth does, a passkey's answer has the session, too. */
  const answer = Effect.fnUntraced(function* (
    { browser, trustDevice, method }: Verification,
    { session, user }: { readonly session: Session | undefined; readonly user: UserEntity },
    headers: ReplyHeaders,
  ) {
    const trusted = trustDevice ? trustCookie(browser, yield* devices.issue(user)) : []
    const told = method === "passkey" && session !== undefined ? { session: yield* shown(session, user) } : {}
    return {
      status: 200,
      body: JSON.stringify({ ...told, user: yield* userResource(user) }),
      headers: [...headers, ...trusted],
    }
  })

  const signIn = Effect.fnUntraced(function* (pending: PendingSignIn, asked: Verification, isKnown: boolean) {
    const { browser, given, method } = asked
    const origin = { ipAddress: browser.ipAddress || undefined, userAgent: browser.userAgent }
    const { token, rememberMe } = yield* steps.complete(pending, { ...given, origin, isKnown })
    yield* replaceShown(sessions, browser, pending.user.id, token)
    const session = method === "passkey" ? yield* sessions.find(token) : undefined
    const { id, sellerId } = pending.user
    const details = { second_step: method }
    yield* audit.did({ userId: id, sellerId }, ofUser("user.signed_in", id, details))
    yield* known.signedIn(pending.user, origin, undefined)
    return yield* answer(asked, { session, user: pending.user }, [
      ...sessionCookie(browser, token, rememberMe),
      ...clearedCookie(browser, pendingCookieName),
    ])
  })

  const bySession = Effect.fnUntraced(function* (session: Session, asked: Verification) {
    const { given, method } = asked
    const user = yield* users.find(session.userId)
    if (user === undefined) return yield* noSession()
    // Only a code of the authenticator itself shows that it was set up.
    if (!user.twoFactorEnabled && method === "totp" && "code" in given) {
      const confirmed = yield* twoFactor.confirm(session, user, given.code)
      yield* log.write("second_factor.enabled", { user_id: user.id, seller_id: user.sellerId })
      yield* audit.did(session, ofUser("user.second_factor_enabled", user.id))
      return yield* answer(
        asked,
        { session, user: confirmed.user },
        movedCookie(asked.browser, session, confirmed.token),
      )
    }
    const { token } = yield* stepUps.verify(session, user, given)
    return yield* answer(asked, { session, user }, movedCookie(asked.browser, session, token))
  })

  const pendingOf = (browser: BrowserRequest) => firstFound(browser.cookies(pendingCookieName), steps.find)
  const isKnownIn = (browser: BrowserRequest, { user }: PendingSignIn) =>
    Effect.map(
      known.knownAs(user, {
        ipAddress: browser.ipAddress || undefined,
        trustedDevice: browser.cookies(trustCookieName)[0],
      }),
      (as) => as !== undefined,
    )

  const verify = Effect.fnUntraced(function* (asked: Verification) {
    const { browser } = asked
    const { ipAddress } = browser
    const pending = yield* pendingOf(browser)
    if (pending !== undefined) {
      const userId = pending.user.id
      const isKnown = yield* isKnownIn(browser, pending)
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

  const begin = Effect.fnUntraced(function* (browser: BrowserRequest) {
    // It reads, but ends the challenge before: no page of another site may do that.
    if (browser.crossSite !== undefined) return yield* browser.crossSite
    const party = browser.relyingParty()
    const pending = yield* pendingOf(browser)
    if (pending !== undefined) {
      const { tokenHash, user } = pending
      const place = (yield* isKnownIn(browser, pending)) ? ("known" as const) : ("stranger" as const)
      return yield* passkeys.beginAuthentication({ place, tokenHash, userId: user.id }, party)
    }
    const session = yield* firstFound(browser.cookies(sessionCookieName), sessions.find)
    if (session === undefined) return yield* noSession()
    const { tokenHash, userId, id: sessionId } = session
    return yield* passkeys.beginAuthentication({ place: "session", tokenHash, userId, sessionId }, party)
  })

  const handlers: GroupHandlers<typeof secondStepGroup> & GroupHandlers<typeof passkeyStepGroup> = {
    verifyTotp: ({ payload: { code, trustDevice = false }, browser }) =>
      verify({ browser, given: { code, kinds: ["totp"] }, method: "totp", trustDevice }),
    verifyBackupCode: ({ payload: { code, trustDevice = false }, browser }) =>
      verify({ browser, given: { code, kinds: ["backup"] }, method: "backup", trustDevice }),
    beginPasskeyAuthentication: ({ browser }) =>
      Effect.map(begin(browser), (options) => ({ status: 200, body: JSON.stringify(options) })),
    usePasskey: ({ payload: { response, trustDevice = false }, browser }) => {
      const given = { assertion: response, party: browser.relyingParty() }
      return verify({ browser, given, method: "passkey", trustDevice })
    },
  }
  return handlers
})
