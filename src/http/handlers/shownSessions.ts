import { Effect } from "effect"
import { sessionCookieName } from "../../../schema/api/security.ts"
import type { Sessions } from "../../accounts/sessions/sessions.ts"
import type { BrowserRequest } from "../contract/browserRequest.ts"

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
