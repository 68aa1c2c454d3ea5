import type { Credential, Row, Subject } from "./accountRoutes.ts"

/** The result that an attempt must have. */
export type Outcome =
  | { readonly kind: "refused"; readonly status: number; readonly code: string; readonly param?: string }
  /** A success that shows none of the seller's things. */
  | { readonly kind: "own" }
  /** Any answer, which the asking page of another site may not read (CORS). */
  | { readonly kind: "unreadable" }
  | { readonly kind: "n/a"; readonly reason: string }

const refused = (status: number, code: string, param?: string): Outcome => ({
  kind: "refused",
  status,
  code,
  ...(param === undefined ? {} : { param }),
})
const notApplicable = (reason: string): Outcome => ({ kind: "n/a", reason })

/** Credentials that attempts are made with; cookies as `Cookie` headers carry them. */
export interface Credentials {
  readonly keys: { readonly test: string; readonly live: string; readonly revoked: string }
  readonly otherKey: string
  /** Stepped up. */
  readonly session: string
  readonly operatorSession: string
  readonly otherSession: string
  readonly withoutStepUp: string
  readonly operatorWithoutStepUp: string
  readonly stepUpExpired: string
  readonly operatorStepUpExpired: string
  readonly expired: string
  readonly ended: string
  /** Not used for longer than sessions may be. */
  readonly idle: string
  /** Of a user whom an operator has disabled. */
  readonly disabled: string
  /** From a sign-in without its second step, and the same token in the session's cookie. */
  readonly pending: string
  readonly pendingAsSession: string
}

/** A way to ask for something forbidden. */
export interface Attempt {
  readonly headers: (credentials: Credentials, row: Row) => Readonly<Record<string, string>>
  readonly outcome: (row: Row, isUnsafe: boolean) => Outcome
}

type Outcomes = Readonly<Record<Credential, Outcome | ((row: Row, isUnsafe: boolean) => Outcome)>>

const by =
  (outcomes: Outcomes): Attempt["outcome"] =>
  (row, isUnsafe) => {
    const outcome = outcomes[row.credential]
    return typeof outcome === "function" ? outcome(row, isUnsafe) : outcome
  }

const invalidKey = refused(401, "invalid_api_key")
const noSession = refused(401, "session_required")
const unknown = refused(404, "resource_not_found")
const asksForNone = notApplicable("the route asks for no credential")

/** The outcome for a valid credential of somebody who does not own the thing. */
const foreign =
  (outcomes: Partial<Readonly<Record<Subject, Outcome>>>) =>
  ({ subject }: Row): Outcome =>
    outcomes[subject] ?? notApplicable("the request is about nothing that anybody owns")

const ofAnotherSeller = foreign({
  thing: unknown,
  "thing of a mode": unknown,
  list: { kind: "own" },
  "list of a mode": { kind: "own" },
})
const ofAnotherMode = foreign({ "thing of a mode": unknown, "list of a mode": { kind: "own" } })

const inAnotherMode = (row: Row): Outcome =>
  row.isTestOnly ? refused(403, "permission_denied") : ofAnotherMode(row)

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })
const cookie = (value: string) => ({ Cookie: value, "X-Mode": "test" })

/** The session that a route accepts: an operator's or the seller's. */
const rightSession = (credentials: Credentials, { credential }: Row): string =>
  credential === "operator" ? credentials.operatorSession : credentials.session

const withoutSession = { none: asksForNone, page: asksForNone, pending: noSession, key: invalidKey }
const sessions = { user: noSession, seller: noSession, operator: noSession }

const sessionThatIsNone = by({ ...withoutSession, ...sessions, feed: noSession })

/** `ofReads` is the outcome of operators' reads, which are content with a step-up at some time in the session. */
const stepUp = (outcome: Outcome, ofReads: Outcome): Attempt["outcome"] =>
  by({
    none: asksForNone,
    page: asksForNone,
    pending: notApplicable("the route itself completes the second step"),
    key: notApplicable("API keys need no step-up"),
    feed: notApplicable("reading needs no step-up"),
    user: ({ stepUp }) => (stepUp === undefined ? notApplicable("asks for no step-up") : outcome),
    seller: ({ stepUp }) => (stepUp === undefined ? notApplicable("asks for no step-up") : outcome),
    operator: (_, isUnsafe) => (isUnsafe ? outcome : ofReads),
  })

const fromAnotherSite = (_: Row, isUnsafe: boolean): Outcome =>
  isUnsafe ? refused(403, "origin_not_allowed") : { kind: "unreadable" }

const crossSite = by({
  none: notApplicable("the route takes no cookie"),
  page: fromAnotherSite,
  pending: fromAnotherSite,
  key: invalidKey,
  feed: fromAnotherSite,
  user: fromAnotherSite,
  seller: fromAnotherSite,
  operator: fromAnotherSite,
})

/** Every forbidden way to ask, by its name. */
export const attempts: Readonly<Record<string, Attempt>> = {
  "no credential": {
    headers: () => ({}),
    outcome: by({ ...withoutSession, ...sessions, feed: invalidKey }),
  },
  "another seller's key": {
    headers: ({ otherKey }) => bearer(otherKey),
    outcome: by({
      ...withoutSession,
      ...sessions,
      key: ofAnotherSeller,
      feed: notApplicable("streams the other seller's events"),
    }),
  },
  "the key of the other mode": {
    headers: ({ keys }) => bearer(keys.live),
    outcome: by({
      ...withoutSession,
      ...sessions,
      key: inAnotherMode,
      feed: notApplicable("streams the other mode"),
    }),
  },
  "a revoked key": {
    headers: ({ keys }) => bearer(keys.revoked),
    outcome: by({ ...withoutSession, ...sessions, feed: invalidKey }),
  },
  "an expired session": { headers: ({ expired }) => cookie(expired), outcome: sessionThatIsNone },
  "an idle session": { headers: ({ idle }) => cookie(idle), outcome: sessionThatIsNone },
  "a disabled user's session": { headers: ({ disabled }) => cookie(disabled), outcome: sessionThatIsNone },
  "an ended session": { headers: ({ ended }) => cookie(ended), outcome: sessionThatIsNone },
  "the credential of a missing second step": {
    headers: ({ pending }) => cookie(pending),
    outcome: by({
      ...withoutSession,
      ...sessions,
      pending: notApplicable("the route asks for this credential"),
      feed: invalidKey,
    }),
  },
  "the credential of a missing second step, as a session's": {
    headers: ({ pendingAsSession }) => cookie(pendingAsSession),
    outcome: sessionThatIsNone,
  },
  "no step-up": {
    headers: ({ operatorWithoutStepUp, withoutStepUp }, { credential }) =>
      cookie(credential === "operator" ? operatorWithoutStepUp : withoutStepUp),
    outcome: stepUp(refused(403, "mfa_required"), refused(403, "mfa_required")),
  },
  "a step-up that has expired": {
    headers: ({ operatorStepUpExpired, stepUpExpired }, { credential }) =>
      cookie(credential === "operator" ? operatorStepUpExpired : stepUpExpired),
    outcome: stepUp(
      refused(403, "mfa_required"),
      notApplicable("operators read on a session that was stepped up"),
    ),
  },
  "the cookie from a page of a foreign origin": {
    headers: (credentials, row) => ({
      ...cookie(rightSession(credentials, row)),
      Origin: "https://foreign.example",
    }),
    outcome: crossSite,
  },
  "the cookie cross-site, by Sec-Fetch-Site": {
    headers: (credentials, row) => ({
      ...cookie(rightSession(credentials, row)),
      "Sec-Fetch-Site": "cross-site",
    }),
    outcome: crossSite,
  },
  "a seller on an operator's route": {
    headers: ({ session }) => cookie(session),
    outcome: (row) =>
      row.credential === "operator"
        ? refused(403, "permission_denied")
        : notApplicable("the route is not an operator's"),
  },
  "an operator on a seller's route": {
    headers: ({ operatorSession }) => cookie(operatorSession),
    outcome: by({
      none: asksForNone,
      page: asksForNone,
      pending: notApplicable("the route is any user's"),
      key: invalidKey,
      feed: refused(403, "permission_denied"),
      user: notApplicable("the route is any user's"),
      seller: refused(403, "permission_denied"),
      operator: notApplicable("the route is an operator's"),
    }),
  },
  "a session on a key's route": {
    headers: ({ session }) => cookie(session),
    outcome: (row) =>
      row.credential === "key" ? invalidKey : notApplicable("the route does not take API keys"),
  },
  "a key on a session's route": {
    headers: ({ keys }) => bearer(keys.test),
    outcome: by({
      ...withoutSession,
      ...sessions,
      key: notApplicable("the route is a key's"),
      feed: notApplicable("the route takes keys"),
    }),
  },
  "another seller's session": {
    headers: ({ otherSession }) => cookie(otherSession),
    outcome: by({
      none: asksForNone,
      page: asksForNone,
      pending: notApplicable("acts for the other seller's user"),
      key: invalidKey,
      feed: notApplicable("streams the other seller's events"),
      user: ofAnotherSeller,
      seller: ofAnotherSeller,
      operator: refused(403, "permission_denied"),
    }),
  },
  "the session in the other mode": {
    headers: ({ session }) => ({ ...cookie(session), "X-Mode": "live" }),
    outcome: by({
      none: asksForNone,
      page: asksForNone,
      pending: notApplicable("the route knows no mode"),
      key: notApplicable("the key names the mode"),
      feed: notApplicable("streams the other mode"),
      user: notApplicable("the route knows no mode"),
      seller: inAnotherMode,
      operator: notApplicable("the route knows no mode"),
    }),
  },
  "the session in a mode that is none": {
    headers: (credentials, row) => ({ ...cookie(rightSession(credentials, row)), "X-Mode": "sandbox" }),
    outcome: by({
      none: asksForNone,
      page: asksForNone,
      pending: notApplicable("the route knows no mode"),
      key: invalidKey,
      feed: notApplicable("the query names the mode, and its validation refuses an unknown one"),
      user: refused(400, "validation_failed", "X-Mode"),
      seller: refused(400, "validation_failed", "X-Mode"),
      operator: refused(400, "validation_failed", "X-Mode"),
    }),
  },
}
