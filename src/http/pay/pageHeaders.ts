import type { ReplyHeaders } from "../server/reply.ts"
import type { Language } from "./language.ts"

/** Pages load what we serve, call nobody else, are framed by nobody, and run nothing that stands in them. */
export const payPolicy = (styles: string): string =>
  `default-src 'none'; script-src 'self'; style-src ${styles}; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Headers of every payment page, and of what stands in its place. */
export const pageHeaders = (language: Language, policy: string): ReplyHeaders => [
  ["Cache-Control", "no-store"],
  ["Content-Language", language],
  ["Content-Security-Policy", policy],
  ["Referrer-Policy", "no-referrer"],
  ["Vary", "Accept-Language"],
  ["X-Robots-Tag", "noindex, nofollow"],
]
