import { Effect } from "effect"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import type { mailedGroup } from "../../../schema/api/auth.ts"
import { sessionCookieName } from "../../../schema/api/security.ts"
import { resourceNotFound } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { Team } from "../../accounts/team/team.ts"
import { TwoFactorRecovery } from "../../accounts/twoFactor/twoFactorRecovery.ts"
import { EmailVerification } from "../../accounts/users/emailVerification.ts"
import { Invites } from "../../accounts/users/invites.ts"
import { PasswordReset } from "../../accounts/users/passwordReset.ts"
import { Settings } from "../../config/settings.ts"
import { Links } from "../../mail/links.ts"
import type { BrowserRequest } from "../contract/browserRequest.ts"
import { clearedCookie } from "../contract/cookies.ts"
import { type Guessing, makeGuessers } from "../contract/guesses.ts"
import { limitsByAddress } from "../contract/guessLimits.ts"
import { withinQuota } from "../contract/quota.ts"
import type { GroupHandlers } from "../server/request.ts"
import { orFail } from "./page.ts"

const guessing = (policy: string): Guessing => ({
  policy,
  perAddress: limits.recoveriesPerMinute,
  perEmail: limits.secondFactorsPerMinute,
})

const done = { status: 200, body: JSON.stringify({ status: true }) }

/** Routes that mail links, and routes these links lead to. */
export const makeMailedHandlers = Effect.gen(function* () {
  const limiter = yield* RateLimiter
  const verification = yield* EmailVerification
  const resets = yield* PasswordReset
  const recoveries = yield* TwoFactorRecovery
  const invites = yield* Invites
  const team = yield* Team
  const links = yield* Links
  const guesserOf = yield* makeGuessers
  const { partitions } = yield* Settings

  const perMinute = limits.recoveriesPerMinute
  const byAddress = (policy: string, browser: BrowserRequest) =>
    limitsByAddress(policy, browser.ipAddress, perMinute, partitions)

  const handlers: GroupHandlers<typeof mailedGroup> = {
    verifyEmail: Effect.fnUntraced(function* ({ query }) {
      yield* orFail(links.wanted(query.callbackURL, "callbackURL", "/"))
      yield* verification.verify(query.token)
      return done
    }),

    sendVerificationEmail: Effect.fnUntraced(function* ({ payload, browser }) {
      const answer = Effect.gen(function* () {
        yield* orFail(links.wanted(payload.callbackURL, "callbackURL", "/"))
        yield* verification.sendAgain(payload.email)
        return done
      })
      const { buckets } = yield* guesserOf(guessing("verification-request"), payload.email, browser)
      return yield* withinQuota(limiter, buckets, answer)
    }),

    requestPasswordReset: Effect.fnUntraced(function* ({ payload, browser }) {
      const answer = Effect.gen(function* () {
        const linkOf = yield* orFail(links.wanted(payload.redirectTo, "redirectTo", "/app/reset-password"))
        yield* resets.request(payload.email, linkOf)
        return done
      })
      const { buckets } = yield* guesserOf(guessing("reset-request"), payload.email, browser)
      return yield* withinQuota(limiter, buckets, answer)
    }),

    resetPassword: ({ payload, browser }) => {
      const reset = resets.reset(payload.token, payload.newPassword)
      const answer = Effect.as(reset, { ...done, headers: clearedCookie(browser, sessionCookieName) })
      return withinQuota(limiter, byAddress("reset", browser), answer)
    },

    requestTwoFactorRecovery: Effect.fnUntraced(function* ({ payload, browser }) {
      const { email, password, redirect_to } = payload
      const { asker, buckets } = yield* guesserOf(guessing("recovery-request"), email, browser)
      const answer = Effect.gen(function* () {
        const linkOf = yield* orFail(links.wanted(redirect_to, "redirect_to", "/app/two-factor-recovery"))
        yield* recoveries.request({ email, password, asker }, linkOf)
        return done
      })
      return yield* withinQuota(limiter, buckets, answer)
    }),

    confirmTwoFactorRecovery: ({ payload, browser }) => {
      const answer = Effect.map(recoveries.confirm(payload.token), (untilMillis) => ({
        status: 200,
        body: JSON.stringify({
          withdrawals_locked_until: untilMillis === undefined ? null : new Date(untilMillis).toISOString(),
        }),
        headers: clearedCookie(browser, sessionCookieName),
      }))
      return withinQuota(limiter, byAddress("recovery", browser), answer)
    },

    getInvite: ({ params, browser }) => {
      const answer = Effect.gen(function* () {
        const invite = yield* invites.usable(params.token)
        // A token is secret even if it is no longer valid.
        if (invite === undefined) return yield* resourceNotFound("invite", "…")
        const { email, expiresAtMillis } = invite
        const expires_at = new Date(expiresAtMillis).toISOString()
        return { status: 200, body: JSON.stringify({ email, expires_at }) }
      })
      return withinQuota(limiter, byAddress("invite", browser), answer)
    },

    getTeamInvite: ({ params, browser }) => {
      const answer = Effect.gen(function* () {
        const invite = yield* team.invitation(params.token)
        if (invite === undefined) return yield* resourceNotFound("invitation", "…")
        return { status: 200, body: JSON.stringify(invite) }
      })
      return withinQuota(limiter, byAddress("invite", browser), answer)
    },
  }
  return handlers
})
