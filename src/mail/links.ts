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
    ) => ((token: string) => string) | ApiError
  }
>()("corrente/mail/Links") {}

const uriPattern = /^[a-z][a-z\d+.-]*:[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/i
const pathPattern = /^\/(?![/\\])[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/

/** The URL that a caller names; undefined for text that is no URI, even if a browser would accept it. */
const readTarget = (text: string, isPathAllowed: boolean, base: string): URL | undefined => {
  if (uriPattern.test(text)) return URL.canParse(text) ? new URL(text) : undefined
  return isPathAllowed && pathPattern.test(text) && URL.canParse(text, base) ? new URL(text, base) : undefined
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
