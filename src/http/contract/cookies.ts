import { stringifySetCookie } from "cookie"
import { sessionCookieName } from "../../../schema/api/security.ts"
import { limits } from "../../../schema/limits.ts"
import type { ReplyHeaders } from "../server/reply.ts"
import type { BrowserRequest } from "./browserRequest.ts"

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
 * HttpOnly, SameSite=Lax, Path=/, and Secure over https (`docs/contract/accounts.md#cookies`). Without `maxAgeMillis`
 * it lasts until the browser closes.
 */
const setCookie = (
  browser: BrowserRequest,
  name: string,
  value: string,
  maxAgeMillis: number | undefined,
): ReplyHeaders => [
  [
    "Set-Cookie",
    stringifySetCookie({
      name,
      value,
      httpOnly: true,
      sameSite: "lax",
      path: "/",
      secure: browser.isSecure,
      ...(maxAgeMillis === undefined ? {} : { maxAge: Math.floor(maxAgeMillis / 1_000) }),
    }),
  ],
]

/** Sets the session cookie: for 30 days if the user wants to be remembered, else until the browser closes. */
export const sessionCookie = (browser: BrowserRequest, token: string, rememberMe: boolean): ReplyHeaders =>
  setCookie(browser, sessionCookieName, token, rememberMe ? limits.rememberedSessionMillis : undefined)

/** Sets the cookie of a sign-in's second step, for five minutes. */
export const pendingCookie = (browser: BrowserRequest, token: string): ReplyHeaders =>
  setCookie(browser, pendingCookieName, token, limits.pendingSignInMillis)

/** Sets the signed cookie of a trusted device, for 30 days. */
export const trustCookie = (browser: BrowserRequest, value: string): ReplyHeaders =>
  setCookie(browser, trustCookieName, value, limits.trustedDeviceMillis)

/** Removes a cookie. */
export const clearedCookie = (browser: BrowserRequest, name: string): ReplyHeaders =>
  setCookie(browser, name, "", 0)
