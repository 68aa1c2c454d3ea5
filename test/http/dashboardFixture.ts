import { Effect, Layer, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import {
  BrowserGuard,
  OperatorAuth,
  RolesOfMembers,
  SellerAuth,
  StepUp,
  sessionCookieName,
  UserAuth,
} from "../../schema/api/security.ts"
import { rolesFor } from "../../schema/memberRoles.ts"
import type { Session } from "../../src/accounts/sessions/session.ts"
import {
  BrowserRequests,
  type BrowserRules,
  makeBrowserRequests,
} from "../../src/http/contract/browserRequest.ts"
import { SessionAuthenticator } from "../../src/http/contract/sessionGuard.ts"
import type { GroupHandlers } from "../../src/http/server/request.ts"
import { exchangeRaw, type RawResponse } from "./rawClient.ts"

/** Tokens of sessions that the fixture knows. */
export const tokens = {
  seller: "seller",
  sellerWithoutStepUp: "seller-without-step-up",
  /** Its user has turned both toggles off. */
  sellerWithoutToggles: "seller-without-toggles",
  /** Its user has turned one toggle off. */
  sellerWithoutWebhookToggle: "seller-without-webhook-toggle",
  operator: "operator",
  operatorWithoutStepUp: "operator-without-step-up",
  /** Was stepped up, and no longer is. */
  operatorStepUpExpired: "operator-step-up-expired",
  /** Its session has expired, so none is found. */
  expired: "expired",
  /** Its user's store is away. */
  away: "away",
  /** Ends while its stream is opened: the second lookup finds none. */
  ending: "ending",
} as const
type Token = (typeof tokens)[keyof typeof tokens]

/** What a browser sends as `Cookie`. */
export const cookieOf = (token: string): string => `${sessionCookieName}=${token}`

export const sellerId = "sel_01ARZ3NDEKTSV4RRFFQ69G5FAV"

const sessionOf = (userId: string, changes: Partial<Session> = {}): Session => ({
  id: "00000000-0000-4000-8000-000000000000",
  tokenHash: "hash",
  userId,
  role: "seller",
  sellerId,
  membership: { memberId: "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV", role: "owner", refundLimit: undefined },
  ipAddress: undefined,
  userAgent: undefined,
  rememberMe: false,
  createdAtMillis: 0,
  expiresAtMillis: Number.MAX_SAFE_INTEGER,
  lastSeenAtMillis: 0,
  mfaVerifiedUntilMillis: 0,
  ...changes,
})
const steppedUp = { mfaVerifiedUntilMillis: Number.MAX_SAFE_INTEGER }
const asOperator = { role: "admin", sellerId: undefined, membership: undefined } as const

const sessions: Readonly<Record<Exclude<Token, "expired" | "away">, Session>> = {
  seller: sessionOf("user", steppedUp),
  "seller-without-step-up": sessionOf("user"),
  "seller-without-toggles": sessionOf("careless"),
  "seller-without-webhook-toggle": sessionOf("trusting"),
  operator: sessionOf("operator", { ...steppedUp, ...asOperator }),
  "operator-without-step-up": sessionOf("operator", asOperator),
  "operator-step-up-expired": sessionOf("operator", { mfaVerifiedUntilMillis: 1, ...asOperator }),
  ending: sessionOf("user", steppedUp),
}

/** Finds the sessions above, each as often as it is asked for, but the ending one only once. */
export const sessionAuthenticator = () => {
  let isEnded = false
  return Layer.succeed(SessionAuthenticator, {
    find: (token) => {
      if (token === tokens.away) {
        return Effect.fail(new StoreUnavailable({ operation: "find", reason: "away" }))
      }
      const isKnown =
        token !== undefined && Object.hasOwn(sessions, token) && !(token === "ending" && isEnded)
      isEnded ||= token === tokens.ending
      return Effect.succeed(isKnown ? sessions[token as keyof typeof sessions] : undefined)
    },
    isLive: (session) => Effect.succeed(session !== sessions.ending || !isEnded),
    wantsStepUp: ({ userId }, kind) =>
      Effect.succeed(userId !== "careless" && !(userId === "trusting" && kind === "webhook")),
  })
}

/** The origins, besides its own, whose pages the fixture accepts. */
export const dashboardOrigin = "https://panel.example"
export const publicOrigin = "https://pay.example"

export const browserRequests = (rules: Partial<BrowserRules> = {}) =>
  Layer.succeed(
    BrowserRequests,
    makeBrowserRequests({
      trustedProxies: ["127.0.0.1"],
      dashboardOrigins: [dashboardOrigin],
      publicUrl: `${publicOrigin}/base`,
      ...rules,
    }),
  )

const answered = { disableCodecs: true, success: Schema.String } as const

export const pages = HttpApiGroup.make("pages")
  .add(HttpApiEndpoint.get("getPage", "/page", answered), HttpApiEndpoint.post("postPage", "/page", answered))
  .middleware(BrowserGuard)
export const users = HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("getUser", "/user", answered),
    HttpApiEndpoint.post("postUser", "/user", answered),
    HttpApiEndpoint.put("putUser", "/user", answered).annotate(StepUp, "always"),
  )
  .middleware(UserAuth)
export const sellers = HttpApiGroup.make("sellers")
  .add(
    HttpApiEndpoint.get("getSeller", "/seller", answered),
    HttpApiEndpoint.post("postSeller", "/seller", {
      ...answered,
      payload: Schema.Struct({ name: Schema.optionalKey(Schema.String) }),
    }),
    HttpApiEndpoint.post("postWebhook", "/seller/webhook", answered).annotate(StepUp, "webhook"),
    HttpApiEndpoint.patch("patchAccount", "/seller/account", answered).annotate(StepUp, "account"),
    HttpApiEndpoint.delete("deleteAlways", "/seller/always", answered).annotate(StepUp, "always"),
  )
  .annotateEndpoints(RolesOfMembers, rolesFor.reading)
  .middleware(SellerAuth)
export const operators = HttpApiGroup.make("operators")
  .add(
    HttpApiEndpoint.get("getOperator", "/operator", answered),
    HttpApiEndpoint.post("postOperator", "/operator", answered),
  )
  .middleware(OperatorAuth)

/** What a handler knows about its caller, as the answer's body. */
export interface Seen {
  readonly principal?: { readonly sellerId: string; readonly mode: string; readonly keyId: string }
  readonly userId?: string
  readonly cookie?: string
  readonly mode?: string
  readonly ipAddress?: string
  readonly userAgent?: string
  readonly isSecure?: boolean
}

const show = (request: {
  readonly principal: unknown
  readonly session: Session | undefined
  readonly browser:
    | {
        readonly cookies: (name: string) => ReadonlyArray<string>
        readonly mode: string
        readonly ipAddress: string
        readonly userAgent: string | undefined
        readonly isSecure: boolean
      }
    | undefined
}) => {
  const { principal, session, browser } = request
  const seen = {
    principal,
    userId: session?.userId,
    cookie: browser?.cookies(sessionCookieName)[0],
    mode: browser?.mode,
    ipAddress: browser?.ipAddress,
    userAgent: browser?.userAgent,
    isSecure: browser?.isSecure,
  }
  return Effect.succeed({ status: 200, body: JSON.stringify(seen) })
}

/** Handlers that answer with what they know about their caller. */
export const dashboardHandlers: GroupHandlers<typeof pages> &
  GroupHandlers<typeof users> &
  GroupHandlers<typeof sellers> &
  GroupHandlers<typeof operators> = {
  getPage: show,
  postPage: show,
  getUser: show,
  postUser: show,
  putUser: show,
  getSeller: show,
  postSeller: show,
  postWebhook: show,
  patchAccount: show,
  deleteAlways: show,
  getOperator: show,
  postOperator: show,
}

/** Header lines of a request. */
export type Headers = ReadonlyArray<readonly [string, string]>

/** Asks with exactly these headers; fetch would add some and refuse others. */
export const ask = (
  { server }: { readonly server: { readonly port: number } },
  method: string,
  path: string,
  headers: Headers = [],
  body = "",
): Promise<RawResponse> => {
  const framed = method === "GET" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const named = headers.some(([name]) => name === "Host") ? headers : [["Host", "service.test"], ...headers]
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...named.map(([name, value]) => `${name}: ${value}`),
    ...framed,
  ]
  return exchangeRaw(server.port, `${lines.join("\r\n")}\r\n\r\n${body}`)
}
