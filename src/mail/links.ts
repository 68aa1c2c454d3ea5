import { Context, Layer } from "effect"
import { type ApiError, validationFailed } from "../../schema/errors.ts"

/** Makes the links in mails. */
export class Links extends Context.Service<
  Links,
  {
    /** A link to one of our pages with a token in its query. */
    readonly to: (path: string, parameter: string, token: string) => string
    /**
     * A link to a URI (RFC 3986) of our own origin or a dashboard (no open redirect) that a caller wants the token
     * sent to, else 400 at `param`. `redirectTo` and `callbackURL` may also be a path, as better-auth clients send
     * them. Without one, one of our pages.
     */
    readonly wanted: (
      target: string | undefined,
      param: string,
      path: string,
    ) => ((token: string) => string) | ApiError<"validation_failed">
  }
>()("corrente/mail/Links") {}

/** An absolute URI whose host begins right after `//`, without a user. */
const uriPattern = /^[a-z][a-z\d+.-]*:\/\/[\w\-.~:[\]]+(?:[/?#][\w\-.~:/?#[\]@!$&'()*+,;=%]*)?$/i
const pathPattern = /^\/[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/
const brokenEscape = /%(?![\da-f]{2})/i
/** What a program behind us may read as the start of another host, once it has decoded a path. */
const anotherHost = /\/\/|\\/
/** Programs behind one another may each decode. What still has escapes after so many is refused. */
const decodingsMax = 8

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Whether a part of a URI, decoded however often, is never malformed or anything that `isRefused`. */
const isHarmless = (part: string, isRefused: (decoded: string) => boolean): boolean => {
  let text = part
  for (let count = 0; count < decodingsMax; count++) {
    if (isRefused(text)) return false
    // What was escaped may be a percent sign, and what follows it no escape.
    const decoded = decode(text)
    if (decoded === undefined) return count > 0
    if (decoded === text) return true
    text = decoded
  }
  return false
}

const hasControl = (text: string): boolean => /\p{Cc}/u.test(text)

/** The URL that a caller names; undefined for text that is no URI, or that any browser or server might take for another place. */
const readTarget = (text: string, isPathAllowed: boolean, base: string): URL | undefined => {
  const isUri = uriPattern.test(text)
  if (brokenEscape.test(text) || !(isUri || (isPathAllowed && pathPattern.test(text)))) return undefined
  const path = (isUri ? text.replace(/^[^:]*:\/\/[^/?#]*/, "") : text).split(/[?#]/, 1)[0] ?? ""
  if (!isHarmless(path, (decoded) => anotherHost.test(decoded) || hasControl(decoded))) return undefined
  if (!isHarmless(text, hasControl)) return undefined
  return URL.canParse(text, base) ? new URL(text, base) : undefined
}

/**
 * `base` is our own address, with a path if a proxy adds one, without a trailing slash, or a function that returns
 * it; `dashboardOrigins` are those of DASHBOARD_ORIGINS. `here` returns where this process itself listens, which is our own
 * origin, too. Default: `base`.
 */
export const LinksLive = (
  base: string | (() => string),
  dashboardOrigins: ReadonlyArray<string>,
  here?: () => string,
) => {
  const baseNow = typeof base === "string" ? () => base : base
  const hereNow = here ?? baseNow
  const withToken = (url: URL, parameter: string, token: string): string => {
    const link = new URL(url)
    link.searchParams.set(parameter, token)
    return link.href
  }
  const isAllowed = (origin: string): boolean =>
    [baseNow(), hereNow()].some((own) => origin === new URL(own).origin) || dashboardOrigins.includes(origin)
  return Layer.succeed(Links, {
    to: (path, parameter, token) => withToken(new URL(baseNow() + path), parameter, token),
    wanted: (target, param, path) => {
      const own = baseNow()
      const url = readTarget(target ?? own + path, param !== "redirect_to", own)
      // The origin of a blob: URL is that of the page which made it.
      if (url !== undefined && isAllowed(url.origin) && url.protocol !== "blob:")
        return (token) => withToken(url, "token", token)
      const message = `${param} must be the URI of a page of this service or of an origin in DASHBOARD_ORIGINS.`
      return validationFailed(param, message)
    },
  })
}
