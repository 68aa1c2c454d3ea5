import { stringifySetCookie } from "cookie"
import { sessionCookieName } from "../../../schema/api/security.ts"
import { limits } from "../../../schema/limits.ts"
import type { ReplyHeaders } from "../server/reply.ts"
import { type BrowserRequest, hostCookieName } from "./browserRequest.ts"

/**
 * The credential of a sign-in whose second step is pending; valid for nothing else
 * (`docs/contract/accounts.md#second-step`).
 */
export const pendingCookieName = "lm.two_factor"
/**
 * Identifies a device whose second factor was verified with `trustDevice`
 * (`docs/contract/accounts.md#trusted-devices`).
 */
export const trustCookieName = "lm.trust_device"

/**
 * HttpOnly, SameSite=Lax, Path=/, and Secure over https, where a twin of the same value comes with it
 * (`docs/contract/accounts.md#cookies`). Without `maxAgeMillis` it lasts until the browser closes.
 */
const setCookie = (
  { isSecure }: BrowserRequest,
  name: string,
  value: string,
  maxAgeMillis: number | undefined,
): ReplyHeaders =>
  (isSecure ? [name, hostCookieName(name)] : [name]).map((one) => [
    "Set-Cookie",
    stringifySetCookie({
      name: one,
      value,
      httpOnly: true,
      sameSite: "lax",
      path: "/",
      secure: isSecure,
      ...(maxAgeMillis === undefined ? {} : { maxAge: Math.floor(maxAgeMillis / 1_000) }),
    }),
  ])

/** Sets the session cookie: for 30 days if the user wants to be remembered, else until the browser closes. */
export const sessionCookie = (browser: BrowserRequest, token: string, rememberMe: boolean): ReplyHeaders =>
  setCookie(browser, sessionCookieName, token, rememberMe ? limits.rememberedSessionMillis : undefined)

/** Sets the new token of a session; nothing if it keeps its token. */
export const movedCookie = (
  browser: BrowserRequest,
  { rememberMe }: { readonly rememberMe: boolean },
  token: string | undefined,
): ReplyHeaders => (token === undefined ? [] : sessionCookie(browser, token, rememberMe))

/** Removes the session's cookie, and with it what the browser keeps of our pages and their data. */
export const signedOut = (browser: BrowserRequest): ReplyHeaders => [
  ...clearedCookie(browser, sessionCookieName),
  ["Clear-Site-Data", '"cache", "storage"'],
]

/** Sets the cookie of a sign-in's second step, for five minutes. */
export const pendingCookie = (browser: BrowserRequest, token: string): ReplyHeaders =>
  setCookie(browser, pendingCookieName, token, limits.pendingSignInMillis)

/** Sets the signed cookie of a trusted device, for 30 days. */
export const trustCookie = (browser: BrowserRequest, value: string): ReplyHeaders =>
  setCookie(browser, trustCookieName, value, limits.trustedDeviceMillis)

/** Removes a cookie. */
export const clearedCookie = (browser: BrowserRequest, name: string): ReplyHeaders =>
  setCookie(browser, name, "", 0)
