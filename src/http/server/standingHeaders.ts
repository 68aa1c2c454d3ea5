import type { Route } from "./route.ts"

/** How long browsers that came by https must keep using https: a year, as preload lists require. */
const strictTransportSeconds = 365 * 24 * 60 * 60

/** For answers that are no pages: where a browser shows one all the same, it loads and runs nothing, and nobody frames it. */
const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The header that pages have of their own. */
export const policyName = "Content-Security-Policy"

/**
 * Headers on every answer of a kind, as the text after `X-Content-Type-Options: `: writing each header by itself
 * would cost a call into native code.
 */
export interface StandingHeaders {
  readonly ofAll: string
  /** For answers that have a {@link policyName} of their own: two would both count. */
  readonly ofPages: string
  /** For answers to a key or session: they must not be stored, and some show a secret once. */
  readonly ofPrivate: string
}

/** `isHttps`: clients reach us by https. */
export const standingHeadersOf = (isHttps: boolean): StandingHeaders => {
  const ofPages = isHttps
    ? `nosniff\r\nStrict-Transport-Security: max-age=${strictTransportSeconds}; includeSubDomains`
    : "nosniff"
  const ofAll = `${ofPages}\r\n${policyName}: ${policy}`
  return { ofAll, ofPages, ofPrivate: `${ofAll}\r\nCache-Control: no-store` }
}

/** Whether a route's answers are only for the holder of a key or session. */
export const isPrivate = ({ secured, cors }: Route): boolean => secured || cors !== undefined
