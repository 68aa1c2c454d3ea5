import { Clock, Context, Effect } from "effect"
import { type Principal, sessionPrincipal } from "../../../actors/values/principal.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { type StepUpDemand, sessionCookieName } from "../../../schema/api/security.ts"
import { ApiError, validationFailed } from "../../../schema/errors.ts"
import { type Mode, modes } from "../../../schema/ids.ts"
import { type MemberAct, type MemberRole, may, rolesFor } from "../../../schema/memberRoles.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import { stepUpRequired } from "../../accounts/twoFactor/twoFactorErrors.ts"
import type { BrowserRequest } from "./browserRequest.ts"

/** The first thing found of several values, asked for one after the other; undefined if none is found. */
export const firstFound = Effect.fnUntraced(function* <A, E>(
  values: ReadonlyArray<string>,
  find: (value: string) => Effect.Effect<A | undefined, E>,
) {
  for (const value of values) {
    const found = yield* find(value)
    if (found !== undefined) return found
  }
  return undefined
})

/** Finds the session of a cookie, and whether its user wants changes to be confirmed. */
export class SessionAuthenticator extends Context.Service<
  SessionAuthenticator,
  {
    /** The live session of a token; undefined if there is none, or it has expired or ended. */
    readonly find: (token: string) => Effect.Effect<Session | undefined, StoreUnavailable>
    /** Whether a session that was found goes on, its user with the same role in the same team. */
    readonly isLive: (session: Session) => Effect.Effect<boolean, StoreUnavailable>
    /** Whether such changes require a step-up: by the user's preferences, and always without a second factor. */
    readonly wantsStepUp: (
      session: Session,
      kind: "webhook" | "account",
    ) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("corrente/http/SessionAuthenticator") {}

const sessionEnded = new ApiError({ code: "session_required", message: "This session has ended. Sign in." })

/** Asks whether a session goes on, before each part of a long answer; fails with 401 `session_required` once it has ended. */
export const whileLive = (sessions: SessionAuthenticator["Service"], session: Session) =>
  Effect.flatMap(sessions.isLive(session), (isLive) => (isLive ? Effect.void : Effect.fail(sessionEnded)))

/** What a route requires of the session. */
export interface SessionDemand {
  readonly who: "user" | "seller" | "operator"
  /** The roles of members that may ask; undefined where no seller's session is asked for. */
  readonly roles: ReadonlyArray<MemberRole> | undefined
  readonly stepUp: StepUpDemand | undefined
  /**
   * Whether the method changes something, which pages of other sites must not request
   * (`docs/contract/README.md#browsers`).
   */
  readonly isUnsafe: boolean
  /** Whether live mode is refused (`docs/contract/test-controls.md#routes`). */
  readonly isTestOnly: boolean
}

/** An admitted session; `principal` if it has a seller. */
export interface Admitted {
  readonly session: Session
  readonly principal: Principal | undefined
}

const sessionRequired = (): ApiError<"session_required"> =>
  new ApiError({
    code: "session_required",
    message: "Sign in first: this route needs a dashboard session, and yours is missing or has ended.",
  })

const wrongRole = (who: "seller" | "operator"): ApiError<"permission_denied"> =>
  new ApiError({
    code: "permission_denied",
    message:
      who === "operator"
        ? "This route is for operators."
        : "This route is for sellers, and this user has no seller.",
  })

const lacksRole = (roles: ReadonlyArray<MemberRole>): ApiError<"permission_denied"> =>
  new ApiError({
    code: "permission_denied",
    message: `Your role in this team does not allow this. It takes the role ${roles.join(" or ")}.`,
    details: { roles },
  })

/**
 * Fails with 403 `permission_denied` where a session's role may not do something that its route does not rule out by itself
 * (docs/contract/members.md#roles).
 */
export const mustMay = (
  { membership }: Session,
  act: MemberAct,
): Effect.Effect<void, ApiError<"permission_denied">> =>
  membership !== undefined && may(membership.role, act) ? Effect.void : Effect.fail(lacksRole(rolesFor[act]))

const testModeOnly = (): ApiError<"permission_denied"> =>
  new ApiError({
    code: "permission_denied",
    message: "This route is for test mode only. Send X-Mode: test.",
  })

const readMode = (text: string, param: string): Mode | ApiError => {
  if (text === "") return "live"
  const mode = modes.find((name) => name === text)
  return mode ?? validationFailed(param, `${param} must be live or test; the default is live.`)
}

/**
 * Admits a request by the first of its session cookies whose session is live, or fails with 403 `origin_not_allowed`, 401 `session_required`, 403
 * `permission_denied`, 400 at `X-Mode`, 403 `permission_denied` for live mode or 403 `mfa_required`, checked in this order. `found` is
 * told the session where there is one, admitted or not.
 */
export const admitSession = (
  sessions: SessionAuthenticator["Service"],
  browser: BrowserRequest,
  demand: SessionDemand,
  found: (session: Session) => void = () => {},
): Effect.Effect<Admitted, ApiError | StoreUnavailable> =>
  Effect.gen(function* () {
    const tokens = browser.cookies(sessionCookieName)
    if (tokens.length === 0) return yield* sessionRequired()
    if (demand.isUnsafe && browser.crossSite !== undefined) return yield* browser.crossSite
    const session = yield* firstFound(tokens, sessions.find)
    if (session === undefined) return yield* sessionRequired()
    found(session)
    if (demand.who === "operator" && session.role !== "admin") return yield* wrongRole("operator")
    if (demand.who === "seller" && session.sellerId === undefined) return yield* wrongRole("seller")
    if (demand.roles !== undefined && !demand.roles.some((role) => role === session.membership?.role)) {
      return yield* lacksRole(demand.roles)
    }
    const mode = readMode(browser.mode, "X-Mode")
    if (mode instanceof ApiError) return yield* mode
    if (demand.isTestOnly && mode === "live") return yield* testModeOnly()
    if (demand.stepUp !== undefined && !(yield* isSteppedUp(sessions, session, demand.stepUp))) {
      return yield* stepUpRequired()
    }
    const { sellerId } = session
    return {
      session,
      principal:
        sellerId === undefined
          ? undefined
          : sessionPrincipal(sellerId, mode, session.userId, session.membership),
    }
  })

const isSteppedUp = (sessions: SessionAuthenticator["Service"], session: Session, stepUp: StepUpDemand) =>
  Effect.gen(function* () {
    if (stepUp === "once") return session.mfaVerifiedUntilMillis > 0
    if (session.mfaVerifiedUntilMillis > (yield* Clock.currentTimeMillis)) return true
    return stepUp !== "always" && !(yield* sessions.wantsStepUp(session, stepUp))
  })
