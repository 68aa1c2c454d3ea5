import type { Route } from "./route.ts"

/** How long browsers that came by https shall come by nothing else: a year, as preload lists ask for. */
const strictTransportSeconds = 365 * 24 * 60 * 60

/**
 * Headers that stand on every answer of a kind, as the text behind `X-Content-Type-Options: `: each header that is
 * written by itself costs a call into native code.
 */
export interface StandingHeaders {
  readonly ofAll: string
  /** Answers made for a key or a session: nobody may keep them, and some show a secret this once. */
  readonly ofPrivate: string
}

/** `isHttps` says that clients reach us by https. */
export const standingHeadersOf = (isHttps: boolean): StandingHeaders => {
  const ofAll = isHttps
    ? `nosniff\r\nStrict-Transport-Security: max-age=${strictTransportSeconds}`
    : "nosniff"
  return { ofAll, ofPrivate: `${ofAll}\r\nCache-Control: no-store` }
}

/** Whether a route's answers are for the bearer of a key or a session alone. */
export const isPrivate = ({ secured, cors }: Route): boolean => secured || cors !== undefined
