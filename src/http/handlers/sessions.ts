import { Clock, Effect } from "effect"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import type { sessionsGroup } from "../../../schema/api/account.ts"
import { sessionCookieName } from "../../../schema/api/security.ts"
import { ApiError, resourceNotFound, validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type { SessionResource, Terms } from "../../../schema/resources/account.ts"
import { SecurityLog } from "../../accounts/securityLog.ts"
import { ofUser, SellerAudit } from "../../accounts/sellerAudit.ts"
import { publicSessionId, type Session, sessionUuidOf } from "../../accounts/sessions/session.ts"
import { Sessions } from "../../accounts/sessions/sessions.ts"
import { Team } from "../../accounts/team/team.ts"
import { noSession, stepUpRequired } from "../../accounts/twoFactor/twoFactorErrors.ts"
import { Users } from "../../accounts/users/users.ts"
import { Settings } from "../../config/settings.ts"
import type { BrowserRequest } from "../contract/browserRequest.ts"
import { signedOut } from "../contract/cookies.ts"
import { limitsByAddress } from "../contract/guessLimits.ts"
import { withinQuota } from "../contract/quota.ts"
import type { GroupHandlers } from "../server/request.ts"
import { makeUserResource } from "./userResource.ts"

/** Every live session of a browser's cookies: its own, and those that pages of sibling domains may have added. */
export const shownSessions = Effect.fnUntraced(function* (
  sessions: Sessions["Service"],
  browser: BrowserRequest,
) {
  const found = yield* Effect.forEach(browser.cookies(sessionCookieName), sessions.find)
  return found.filter((session) => session !== undefined)
})

/** Ends the sessions that a browser had when it signed in anew: their tokens are not to live on. */
export const replaceShown = Effect.fnUntraced(function* (
  sessions: Sessions["Service"],
  browser: BrowserRequest,
  userId: string,
  token: string,
) {
  for (const session of yield* shownSessions(sessions, browser)) {
    yield* sessions.replace(session, { userId, token })
  }
})

const operatorInTeam = (): ApiError<"permission_denied"> =>
  new ApiError({
    code: "permission_denied",
    message: "Operators are in no seller's team. Sign in as the user who was invited.",
  })

const isoOf = (millis: number): string => new Date(millis).toISOString()

const resourceOf = (session: Session, currentId: string): SessionResource => ({
  id: session.id,
  public_id: publicSessionId(session.id),
  ip_address: session.ipAddress ?? null,
  user_agent: session.userAgent ?? null,
  created_at: isoOf(session.createdAtMillis),
  expires_at: isoOf(session.expiresAtMillis),
  last_seen_at: isoOf(session.lastSeenAtMillis),
  current: session.id === currentId,
})

/** Routes of a user's sessions and terms. */
export const makeSessionHandlers = Effect.gen(function* () {
  const sessions = yield* Sessions
  const users = yield* Users
  const log = yield* SecurityLog
  const audit = yield* SellerAudit
  const { partitions, termsVersion } = yield* Settings
  const team = yield* Team
  const limiter = yield* RateLimiter
  const userResource = yield* makeUserResource

  const handlers: GroupHandlers<typeof sessionsGroup> = {
    acceptTeamInvite: Effect.fnUntraced(function* ({ session, payload: { token }, browser }) {
      const answer = Effect.gen(function* () {
        const user = yield* users.find(session.userId)
        if (user === undefined) return yield* noSession()
        if (user.role === "admin") return yield* operatorInTeam()
        const invitation = yield* team.openFor(token, user.email, "token")
        const joined = yield* team.join(user, invitation, "token")
        return { status: 200, body: JSON.stringify({ user: yield* userResource(joined) }) }
      })
      const perMinute = limits.recoveriesPerMinute
      return yield* withinQuota(
        limiter,
        limitsByAddress("invite", browser.ipAddress, perMinute, partitions),
        answer,
      )
    }),

    listSessions: ({ session }) =>
      Effect.map(sessions.list(session.userId), (found) => ({
        status: 200,
        body: JSON.stringify({ data: found.map((one) => resourceOf(one, session.id)) }),
      })),

    revokeOtherSessions: Effect.fnUntraced(function* ({ session }) {
      yield* sessions.endOthers(session)
      yield* log.revoked("all sessions", { userId: session.userId }, "but the one that asked for it")
      yield* audit.did(session, ofUser("user.sessions_ended", session.userId))
      return { status: 200, body: JSON.stringify({ status: true }) }
    }),

    deleteSession: Effect.fnUntraced(function* ({ params, session, browser }) {
      const id = sessionUuidOf(params.id)
      // A copied session must not turn its owner out.
      const isSteppedUp = session.mfaVerifiedUntilMillis > (yield* Clock.currentTimeMillis)
      if (id !== session.id && !isSteppedUp) return yield* stepUpRequired()
      const isEnded = id !== undefined && (yield* sessions.end(session, { id }))
      if (!isEnded) return yield* resourceNotFound("session", params.id)
      yield* log.revoked("session", { userId: session.userId, id }, "ended by its user")
      yield* audit.did(session, ofUser("user.sessions_ended", session.userId, { session_id: id }))
      const headers = id === session.id ? signedOut(browser) : []
      return { status: 204, body: "", headers }
    }),

    getTerms: Effect.fnUntraced(function* ({ session }) {
      const user = yield* users.find(session.userId)
      if (user === undefined) return yield* noSession()
      const terms: Terms = {
        version: termsVersion,
        accepted_version: user.termsVersion ?? null,
        current_version: termsVersion,
      }
      return { status: 200, body: JSON.stringify(terms) }
    }),

    acceptTerms: Effect.fnUntraced(function* ({ payload, session }) {
      if (payload.version !== termsVersion) {
        const message = `version must be the current version of the terms, ${termsVersion}.`
        return yield* validationFailed("version", message)
      }
      if (!(yield* users.acceptTerms(session.userId, termsVersion))) return yield* noSession()
      return { status: 204, body: "" }
    }),
  }
  return handlers
})
