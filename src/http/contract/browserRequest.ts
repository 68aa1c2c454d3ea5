import { Context } from "effect"
import { ApiError } from "../../../schema/errors.ts"
import type { RelyingParty } from "../../accounts/twoFactor/webAuthn.ts"
import { blockListOf, contains } from "../server/addressList.ts"
import { type Cors, type Incoming, makeCors } from "../server/route.ts"
import { cookieValues } from "./cookieValues.ts"
import { clientAddress } from "./forwardedFor.ts"

/** The name of a cookie's twin over https: browsers take it from our own origin alone (RFC 6265bis, 4.1.3.2). */
export const hostCookieName = (name: string): string => `__Host-${name}`

/** Headers that identify a dashboard's request and its origin, in lower case. */
export const browserHeaderNames = [
  "cookie",
  "x-mode",
  "origin",
  "sec-fetch-site",
  "host",
  "user-agent",
  "x-forwarded-for",
  "x-forwarded-proto",
  "accept-encoding",
] as const
type BrowserHeaderName = (typeof browserHeaderNames)[number]

/** A browser's request: its cookies, and where it comes from. */
export interface BrowserRequest {
  /**
   * The values of a cookie, best first: that of its `__Host-` twin, which no other domain can have set, then those under
   * its own name as the browser sent them.
   */
  readonly cookies: (name: string) => ReadonlyArray<string>
  /** `X-Mode` as it was sent; "" if it was not. */
  readonly mode: string
  /**
   * The client's address, taken from `X-Forwarded-For` if a trusted proxy wrote it (TRUSTED_PROXIES); "" if unknown: whoever is
   * unknown shares their limits, and is no known device.
   */
  readonly ipAddress: string
  readonly userAgent: string | undefined
  /** `Accept-Encoding` as it was sent; "" if it was not. */
  readonly acceptEncoding: string
  /** Whether the client used https; cookies are then `Secure` (`docs/contract/accounts.md#cookies`). */
  readonly isSecure: boolean
  /** Whose passkeys its pages may ask for (`docs/contract/accounts.md#passkeys`). */
  readonly relyingParty: () => RelyingParty
  /**
   * 403 `origin_not_allowed` if a browser must not send cookies with this request
   * (`docs/contract/README.md#browsers`).
   */
  readonly crossSite: ApiError<"origin_not_allowed"> | undefined
}

/** Settings for reading browser requests. */
export interface BrowserRules {
  /** IP addresses and CIDR ranges whose `X-Forwarded-*` headers are trusted. */
  readonly trustedProxies: ReadonlyArray<string>
  /** Origins besides our own whose pages may use cookies. */
  readonly dashboardOrigins: ReadonlyArray<string>
  /** PUBLIC_URL. If set, only its origin is our own, whatever the Host header says. */
  readonly publicUrl: string | undefined
}

/** The first of several values is the client's own protocol. */
const isHttps = (forwardedProto: string): boolean => /^\s*https\s*(?:,|$)/i.test(forwardedProto)

const originRefused = (): ApiError<"origin_not_allowed"> =>
  new ApiError({
    code: "origin_not_allowed",
    message:
      "This request comes from a page of another site. Serve the dashboard from this service's origin, or name its origin in DASHBOARD_ORIGINS.",
  })

const originOf = (text: string): string | undefined => (URL.canParse(text) ? new URL(text).origin : undefined)

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined

/** The RP ID that an origin's pages may use: its host, without a port. */
const rpIdOf = (origin: string): string => (URL.canParse(origin) ? new URL(origin).hostname : "")

/** Reads browser requests; the settings are prepared once. */
export class BrowserRequests extends Context.Service<
  BrowserRequests,
  {
    /** `headers` are the values of `browserHeaderNames`, in their order. */
    readonly read: (incoming: Incoming, headers: ReadonlyArray<string>) => BrowserRequest
    /** CORS for the pages of DASHBOARD_ORIGINS. */
    readonly cors: Cors
    /** The address of a client that is no browser, as {@link BrowserRequest.ipAddress}; from its `X-Forwarded-For`. */
    readonly clientOf: (incoming: Pick<Incoming, "remoteAddress">, forwardedFor: string) => string
    /** The headers that tell the client of a request that is no browser's: none where no proxy is trusted. */
    readonly clientHeaders: ReadonlyArray<BrowserHeaderName>
  }
>()("corrente/http/BrowserRequests") {}

/** The service for given settings. */
export const makeBrowserRequests = (rules: BrowserRules): BrowserRequests["Service"] => {
  const proxies = blockListOf(rules.trustedProxies)
  const ownOrigin = rules.publicUrl === undefined ? undefined : originOf(rules.publicUrl)
  const isOwnSecure = rules.publicUrl?.startsWith("https:") ?? false
  const allowed = new Set([...rules.dashboardOrigins, ...(ownOrigin === undefined ? [] : [ownOrigin])])

  // Without PUBLIC_URL, only the Host header tells our own origin, with http or https: a proxy may terminate TLS.
  const isOfHost = (origin: string, host: string): boolean =>
    ownOrigin === undefined && host !== "" && hostOf(origin) === host
  const isForeign = (origin: string, host: string): boolean => !allowed.has(origin) && !isOfHost(origin, host)

  // Browsers let a page ask for passkeys of its own host and the domains above it, so of the other origins only those below ours can.
  const ownParty = ownOrigin === undefined ? undefined : { id: rpIdOf(ownOrigin), origins: [...allowed] }
  const partyOf = (host: string): RelyingParty =>
    ownParty ?? {
      id: rpIdOf(`http://${host}`),
      origins: [`http://${host}`, `https://${host}`, ...allowed],
    }

  // A dashboard on another site could not work anyway, as SameSite=Lax withholds its cookies. So the browser's
  // verdict is final.
  const crossSite = (
    origin: string,
    fetchSite: string,
    host: string,
  ): ApiError<"origin_not_allowed"> | undefined =>
    fetchSite.toLowerCase() === "cross-site" || (origin !== "" && isForeign(origin, host.toLowerCase()))
      ? originRefused()
      : undefined

  return {
    cors: makeCors(rules.dashboardOrigins),
    clientOf: ({ remoteAddress }, forwardedFor) => clientAddress(remoteAddress, forwardedFor, proxies),
    clientHeaders: rules.trustedProxies.length === 0 ? [] : ["x-forwarded-for"],
    read: (incoming, headers) => {
      const header = (name: BrowserHeaderName) => headers[browserHeaderNames.indexOf(name)] ?? ""
      const peer = incoming.remoteAddress
      const isProxied = contains(proxies, peer)
      const cookieHeader = header("cookie")
      const origin = header("origin")
      return {
        cookies: (name) => [
          ...new Set([hostCookieName(name), name].flatMap((one) => cookieValues(cookieHeader, one))),
        ],
        mode: header("x-mode"),
        ipAddress: clientAddress(peer, header("x-forwarded-for"), proxies),
        userAgent: header("user-agent") || undefined,
        acceptEncoding: header("accept-encoding"),
        isSecure: isOwnSecure || (isProxied && isHttps(header("x-forwarded-proto"))),
        relyingParty: () => partyOf(header("host").toLowerCase()),
        crossSite: crossSite(origin, header("sec-fetch-site"), header("host")),
      }
    },
  }
}
