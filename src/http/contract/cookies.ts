import { stringifySetCookie } from "cookie"
import { sessionCookieName } from "../../../schema/api/security.ts"
import { limits } from "../../../schema/limits.ts"
import type { ReplyHeaders } from "../server/request.ts"
import type { BrowserRequest } from "./browserRequest.ts"

/** The credential of a sign-in whose second step is missing: it opens nothing else (decisions 4). */
export const pendingCookieName = "lm.two_factor"
/** A device whose second factor was verified with `trustDevice` (decisions 4). */
export const trustCookieName = "lm.trust_device"

/** decisions 1: HttpOnly, SameSite=Lax, Path=/, Secure when served over https. `maxAgeMillis` undefined: until the browser closes. */
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

/** Sets the session's cookie (spec 5.2): 30 days where the user wants to be remembered, else with the browser's session. */
export const sessionCookie = (browser: BrowserRequest, token: string, rememberMe: boolean): ReplyHeaders =>
  setCookie(browser, sessionCookieName, token, rememberMe ? limits.rememberedSessionMillis : undefined)

/** Sets the five minutes' credential of a sign-in's second step. */
export const pendingCookie = (browser: BrowserRequest, token: string): ReplyHeaders =>
  setCookie(browser, pendingCookieName, token, limits.pendingSignInMillis)

/** Sets the signed cookie of a trusted device, for 30 days. */
export const trustCookie = (browser: BrowserRequest, value: string): ReplyHeaders =>
  setCookie(browser, trustCookieName, value, limits.trustedDeviceMillis)

/** Removes a cookie. */
export const clearedCookie = (browser: BrowserRequest, name: string): ReplyHeaders =>
  setCookie(browser, name, "", 0)
