import { Context, Layer } from "effect"
import { type ApiError, validationFailed } from "../../schema/errors.ts"

/** Links that mails carry. */
export class Links extends Context.Service<
  Links,
  {
    /** A link to a path of ours, with a token in its query. */
    readonly to: (path: string, parameter: string, token: string) => string
    /**
     * A link to where a caller wants the token to be sent, a URI (RFC 3986) of our own origin or a dashboard's (no open
     * redirect), else 400 at `param`. `redirectTo` and `callbackURL` may be a path of ours too, as better-auth's clients
     * send them. Without one, a path of ours.
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

/** The URL that a caller names; undefined for what is no URI, though a browser would make one of it. */
const readTarget = (text: string, isPathAllowed: boolean, base: string): URL | undefined => {
  if (uriPattern.test(text)) return URL.canParse(text) ? new URL(text) : undefined
  return isPathAllowed && pathPattern.test(text) && URL.canParse(text, base) ? new URL(text, base) : undefined
}

/**
 * `base` is the service's own address, with a path where a proxy has it below one, without a slash at its end, or what
 * tells it; `dashboardOrigins` are those of DASHBOARD_ORIGINS.
 */
export const LinksLive = (base: string | (() => string), dashboardOrigins: ReadonlyArray<string>) => {
  const baseNow = typeof base === "string" ? () => base : base
  const withToken = (url: URL, parameter: string, token: string): string => {
    const link = new URL(url)
    link.searchParams.set(parameter, token)
    return link.href
  }
  const isAllowed = (origin: string): boolean =>
    origin === new URL(baseNow()).origin || dashboardOrigins.includes(origin)
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
