import { Effect } from "effect"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import type { authGroup } from "../../../schema/api/auth.ts"
import { sessionCookieName } from "../../../schema/api/security.ts"
import { limits } from "../../../schema/limits.ts"
import type { CurrentTerms } from "../../../schema/resources/account.ts"
import { SecurityLog } from "../../accounts/securityLog.ts"
import { ofUser, SellerAudit } from "../../accounts/sellerAudit.ts"
import type { SignInOrigin } from "../../accounts/sessions/session.ts"
import { Sessions } from "../../accounts/sessions/sessions.ts"
import { SignIn } from "../../accounts/sessions/signIn.ts"
import { SignUp } from "../../accounts/users/signUp.ts"
import { Users } from "../../accounts/users/users.ts"
import { Settings } from "../../config/settings.ts"
import type { BrowserRequest } from "../contract/browserRequest.ts"
import {
  clearedCookie,
  pendingCookie,
  pendingCookieName,
  sessionCookie,
  signedOut,
  trustCookieName,
} from "../contract/cookies.ts"
import { type Guessing, makeGuessers } from "../contract/guesses.ts"
import { limitsByAddress } from "../contract/guessLimits.ts"
import { withinQuota } from "../contract/quota.ts"
import { firstFound } from "../contract/sessionGuard.ts"
import type { GroupHandlers } from "../server/request.ts"
import { makeAuthSessions, makeFactorMethods } from "./authSession.ts"
import { replaceShown, shownSessions } from "./sessions.ts"
import { makeUserResource } from "./userResource.ts"

/** What a session stores of the request that began it. */
const originOf = ({ ipAddress, userAgent }: BrowserRequest): SignInOrigin => ({
  ipAddress: ipAddress || undefined,
  userAgent,
})

const { signInsPerMinute } = limits
const signInGuessing: Guessing = {
  policy: "sign-in",
  perAddress: signInsPerMinute,
  perEmail: signInsPerMinute,
}

/** Routes of sign-up, sign-in and sign-out. */
export const makeAuthHandlers = Effect.gen(function* () {
  const limiter = yield* RateLimiter
  const users = yield* Users
  const sessions = yield* Sessions
  const signUps = yield* SignUp
  const signIns = yield* SignIn
  const log = yield* SecurityLog
  const audit = yield* SellerAudit
  const guesserOf = yield* makeGuessers
  const methodsOf = yield* makeFactorMethods
  const shown = yield* makeAuthSessions
  const userResource = yield* makeUserResource
  const { partitions, termsVersion, termsUrl } = yield* Settings
  const currentTerms: CurrentTerms = { version: termsVersion, url: termsUrl ?? null }

  const handlers: GroupHandlers<typeof authGroup> = {
    signUp: ({ payload, browser }) => {
      const { name, email, password, invite_token: inviteToken } = payload
      const buckets = limitsByAddress("sign-up", browser.ipAddress, limits.recoveriesPerMinute, partitions)
      const signedUp = signUps.signUp({ name, email, password, inviteToken, origin: originOf(browser) }).pipe(
        Effect.tap(({ user, token }) => replaceShown(sessions, browser, user.id, token)),
        Effect.tap(({ user: { id, sellerId } }) =>
          Effect.andThen(
            log.write("sign_up.succeeded", { user_id: id, seller_id: sellerId }),
            audit.did({ userId: id, sellerId }, ofUser("user.signed_up", id)),
          ),
        ),
      )
      const answer = Effect.flatMap(signedUp, ({ user, token }) =>
        Effect.map(userResource(user), (resource) => ({
          status: 200,
          body: JSON.stringify({ user: resource }),
          headers: sessionCookie(browser, token, false),
        })),
      )
      return withinQuota(limiter, buckets, answer)
    },

    signIn: Effect.fnUntraced(function* ({ payload, browser }) {
      const { email, password, rememberMe = false } = payload
      const [trustedDevice] = browser.cookies(trustCookieName)
      const origin = originOf(browser)
      const { asker, buckets } = yield* guesserOf(signInGuessing, email, browser)
      const signingIn = Effect.tap(
        signIns.signIn({ email, password, rememberMe, origin, trustedDevice, asker }),
        (signedIn) => {
          if (signedIn.kind === "secondStep") return Effect.void
          const { id, sellerId } = signedIn.user
          return Effect.andThen(
            replaceShown(sessions, browser, id, signedIn.token),
            audit.did({ userId: id, sellerId }, ofUser("user.signed_in", id)),
          )
        },
      )
      const answer = Effect.flatMap(signingIn, (signedIn) =>
        signedIn.kind === "secondStep"
          ? Effect.map(methodsOf(signedIn.user), (twoFactorMethods) => ({
              status: 200,
              body: JSON.stringify({ twoFactorRedirect: true, twoFactorMethods }),
              headers: pendingCookie(browser, signedIn.pendingToken),
            }))
          : Effect.map(userResource(signedIn.user), (resource) => ({
              status: 200,
              body: JSON.stringify({ user: resource }),
              headers: [
                ...sessionCookie(browser, signedIn.token, rememberMe),
                ...clearedCookie(browser, pendingCookieName),
              ],
            })),
      )
      const quoted = withinQuota(limiter, buckets, answer)
      return yield* log.watch("sign-in", { ipAddress: origin.ipAddress }, quoted, ["rate_limited"])
    }),

    signOut: Effect.fnUntraced(function* ({ browser }) {
      for (const session of yield* shownSessions(sessions, browser)) {
        yield* sessions.end(session, session)
        yield* log.write("sign_out.succeeded", { user_id: session.userId, seller_id: session.sellerId })
        yield* audit.did(session, ofUser("user.signed_out", session.userId))
      }
      return {
        status: 200,
        body: JSON.stringify({ status: true }),
        headers: [...signedOut(browser), ...clearedCookie(browser, pendingCookieName)],
      }
    }),

    getSession: Effect.fnUntraced(function* ({ browser }) {
      const session = yield* firstFound(browser.cookies(sessionCookieName), sessions.find)
      const user = session === undefined ? undefined : yield* users.find(session.userId)
      if (session === undefined || user === undefined) return { status: 200, body: "null" }
      return {
        status: 200,
        body: JSON.stringify({ session: yield* shown(session, user), user: yield* userResource(user) }),
      }
    }),

    getCurrentTerms: () => Effect.succeed({ status: 200, body: JSON.stringify(currentTerms) }),
  }
  return handlers
})
