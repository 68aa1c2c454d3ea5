import { programAndSystem } from "../../../../src/mail/deviceName.ts"

/** What people type when they are asked for a code. */
export interface GivenCode {
  readonly kind: "totp" | "backup"
  readonly code: string
}

/** Tells the six digits of an authenticator app, with or without spaces, from a backup code. */
export const readCode = (text: string): GivenCode => {
  const digits = text.replace(/\s/g, "")
  return /^\d{6}$/.test(digits) ? { kind: "totp", code: digits } : { kind: "backup", code: text.trim() }
}

/** The base32 secret of an `otpauth:` URI, in groups of four that people can type. */
export const groupedSecret = (totpUri: string): string => {
  const secret = new URL(totpUri).searchParams.get("secret") ?? ""
  return (secret.match(/.{1,4}/g) ?? []).join(" ")
}

/** Every page lies below it. */
const base = "/app"

/** Pages of somebody who is not signed in: nobody is led back to one. */
const entrances = ["/sign-in", "/sign-up", "/reset-password", "/two-factor-recovery", "/verify-email"]

/**
 * Where a sign-in leads: the path of `?next=`, below `/app` and with its query, or the first page. Anything that would leave the
 * application is not followed, whatever its form: other origins, `//host`, `..`, backslashes.
 */
export const nextPage = (wanted: string | null): string => {
  if (wanted === null || !/^\/(?![/\\])/.test(wanted)) return "/"
  const origin = "https://here.invalid"
  if (!URL.canParse(base + wanted, origin)) return "/"
  const url = new URL(base + wanted, origin)
  const isInside = url.origin === origin && url.pathname.startsWith(`${base}/`)
  const path = url.pathname.slice(base.length)
  if (!isInside || entrances.includes(path.replace(/\/+$/, ""))) return "/"
  return path + url.search
}

/** The device of a session, by its `User-Agent`, in our own names: the header says whatever its sender wants. */
export const deviceOf = (userAgent: string | null, unknown: string): string => {
  const names = programAndSystem(userAgent ?? "").filter((name) => name !== undefined)
  return names.length === 0 ? unknown : names.join(" · ")
}
