import { type BlockList, isIP } from "node:net"
import { parseCookie } from "cookie"
import { Context } from "effect"
import { ApiError } from "../../../schema/errors.ts"
import { blockListOf, contains } from "../server/addressList.ts"
import { type Cors, makeCors } from "../server/cors.ts"
import type { Incoming } from "../server/route.ts"

/** Headers that a dashboard's request is judged by, in lower case. */
export const browserHeaderNames = [
  "cookie",
  "x-mode",
  "origin",
  "sec-fetch-site",
  "host",
  "user-agent",
  "x-forwarded-for",
  "x-forwarded-proto",
] as const
type BrowserHeaderName = (typeof browserHeaderNames)[number]

/** Who asks, from where: what routes of the dashboard see besides their decoded request. */
export interface BrowserRequest {
  /** A cookie's value; undefined where there is none. */
  readonly cookie: (name: string) => string | undefined
  /** `X-Mode` as it was sent; "" where it was not. */
  readonly mode: string
  /** The client's address, by `X-Forwarded-For` where a trusted proxy wrote it (TRUSTED_PROXIES); "" if unknown. */
  readonly ipAddress: string
  readonly userAgent: string | undefined
  /** Whether the client came by https: cookies are `Secure` then (decisions 1). */
  readonly isSecure: boolean
  /** Undefined where a browser may send this request's cookies, else 403 `origin_not_allowed` (decisions 1). */
  readonly crossSite: ApiError | undefined
}

/** What requests of browsers are judged by. */
export interface BrowserRules {
  /** IP addresses and CIDR ranges whose `X-Forwarded-*` count. */
  readonly trustedProxies: ReadonlyArray<string>
  /** Origins besides our own whose pages may use cookies. */
  readonly dashboardOrigins: ReadonlyArray<string>
  /** PUBLIC_URL: where it is set, its origin alone is our own, whatever the Host says. */
  readonly publicUrl: string | undefined
}

/** As `remoteAddressText` writes it: proxies that listen for both families may write IPv4 mapped into IPv6. */
const plainAddress = (text: string): string => {
  const address = text.trim()
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  return mapped === undefined || isIP(mapped) !== 4 ? address : mapped
}

/** The last address of the chain that is no proxy of ours: what is left of it anybody may have written. */
const clientAddress = (peer: string, forwardedFor: string, proxies: BlockList): string => {
  if (!contains(proxies, peer)) return peer
  const chain = forwardedFor.split(",").map(plainAddress)
  let client = peer
  for (const address of chain.toReversed()) {
    if (isIP(address) === 0) return client
    client = address
    if (!contains(proxies, address)) return client
  }
  return client
}

/** The first of several is what the client itself spoke. */
const isHttps = (forwardedProto: string): boolean => /^\s*https\s*(?:,|$)/i.test(forwardedProto)

const originRefused = (): ApiError =>
  new ApiError({
    code: "origin_not_allowed",
    message:
      "This request comes from a page of another site. Serve the dashboard from this service's origin, or name its origin in DASHBOARD_ORIGINS.",
  })

const originOf = (text: string): string | undefined => (URL.canParse(text) ? new URL(text).origin : undefined)

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined

/** How requests of browsers are read; the rules are prepared once. */
export class BrowserRequests extends Context.Service<
  BrowserRequests,
  {
    /** `headers` are the values of `browserHeaderNames`, in their order. */
    readonly read: (incoming: Incoming, headers: ReadonlyArray<string>) => BrowserRequest
    /** Which pages of other origins may read our answers: those of DASHBOARD_ORIGINS. */
    readonly cors: Cors
  }
>()("corrente/http/BrowserRequests") {}

/** The service under given rules. */
export const makeBrowserRequests = (rules: BrowserRules): BrowserRequests["Service"] => {
  const proxies = blockListOf(rules.trustedProxies)
  const ownOrigin = rules.publicUrl === undefined ? undefined : originOf(rules.publicUrl)
  const isOwnSecure = rules.publicUrl?.startsWith("https:") ?? false
  const allowed = new Set([...rules.dashboardOrigins, ...(ownOrigin === undefined ? [] : [ownOrigin])])

  // Without PUBLIC_URL the Host is all that tells our own origin, by http or https: a proxy may end TLS.
  const isOfHost = (origin: string, host: string): boolean =>
    ownOrigin === undefined && host !== "" && hostOf(origin) === host
  const isForeign = (origin: string, host: string): boolean => !allowed.has(origin) && !isOfHost(origin, host)

  // A dashboard of another site is of no use: SameSite=Lax keeps its cookies back. So what the browser says is final.
  const crossSite = (origin: string, fetchSite: string, host: string): ApiError | undefined =>
    fetchSite.toLowerCase() === "cross-site" || (origin !== "" && isForeign(origin, host.toLowerCase()))
      ? originRefused()
      : undefined

  return {
    cors: makeCors(rules.dashboardOrigins),
    read: (incoming, headers) => {
      const header = (name: BrowserHeaderName) => headers[browserHeaderNames.indexOf(name)] ?? ""
      const peer = incoming.remoteAddress
      const isProxied = contains(proxies, peer)
      const cookies = parseCookie(header("cookie"))
      const origin = header("origin")
      return {
        cookie: (name) => cookies[name],
        mode: header("x-mode"),
        ipAddress: clientAddress(peer, header("x-forwarded-for"), proxies),
        userAgent: header("user-agent") || undefined,
        isSecure: isOwnSecure || (isProxied && isHttps(header("x-forwarded-proto"))),
        crossSite: crossSite(origin, header("sec-fetch-site"), header("host")),
      }
    },
  }
}
