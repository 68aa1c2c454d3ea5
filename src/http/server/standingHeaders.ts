import type { Route } from "./route.ts"

/** How long browsers that came by https must keep using https: a year, as preload lists require. */
const strictTransportSeconds = 365 * 24 * 60 * 60

/**
 * Headers on every answer of a kind, as the text after `X-Content-Type-Options: `: writing each header by itself
 * would cost a call into native code.
 */
export interface StandingHeaders {
  readonly ofAll: string
  /** For answers to a key or session: they must not be stored, and some show a secret once. */
  readonly ofPrivate: string
}

/** `isHttps`: clients reach us by https. */
export const standingHeadersOf = (isHttps: boolean): StandingHeaders => {
  const ofAll = isHttps
    ? `nosniff\r\nStrict-Transport-Security: max-age=${strictTransportSeconds}`
    : "nosniff"
  return { ofAll, ofPrivate: `${ofAll}\r\nCache-Control: no-store` }
}

/** Whether a route's answers are only for the holder of a key or session. */
export const isPrivate = ({ secured, cors }: Route): boolean => secured || cors !== undefined
