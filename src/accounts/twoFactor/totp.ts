import { timingSafeEqual } from "node:crypto"
import { generateSecret, generateSync, generateURI } from "otplib"
import { limits } from "../../../schema/limits.ts"

/** Time-based one-time passwords (RFC 6238) as authenticators make them: SHA-1, 6 digits, 30 s (decisions 4). */
const totp = { algorithm: "sha1", digits: 6, period: limits.totpStepSeconds } as const
const issuer = "Corrente"

/** A fresh secret in base32: 160 bits, as RFC 4226, 4, wants. */
export const newTotpSecret = (): string => generateSecret()

/** What an authenticator reads of a QR code. Its defaults are named, though readers know them: some take no chance. */
export const totpUri = (secret: string, email: string): string =>
  `${generateURI({ ...totp, issuer, label: email, secret })}&algorithm=SHA1&digits=${totp.digits}&period=${totp.period}`

/** The code of a step of `secret` (base32). */
export const totpCodeOf = (secret: string, step: number): string =>
  generateSync({ ...totp, secret, epoch: step * totp.period })

/** The step that a time lies in. */
export const totpStepAt = (nowMillis: number): number => Math.floor(nowMillis / 1_000 / totp.period)

/** The six digits of a code as it was typed, spaces left out; undefined for what is no such code. */
export const readTotpCode = (text: string): string | undefined => {
  const digits = text.replace(/\s/g, "")
  return /^[0-9]{6}$/.test(digits) ? digits : undefined
}

/**
 * Which step of `secret` (base32) a code is of: one at most a step away from now, the nearest where it is of several;
 * undefined for a wrong code. Takes the same time for right and wrong ones.
 */
export const totpStepOf = (code: string, secret: string, nowMillis: number): number | undefined => {
  const given = readTotpCode(code)
  if (given === undefined) return undefined
  const current = totpStepAt(nowMillis)
  let found: number | undefined
  for (let distance = limits.totpWindowSteps; distance >= 0; distance -= 1) {
    for (const step of [current - distance, current + distance]) {
      const isOf = step >= 0 && timingSafeEqual(Buffer.from(totpCodeOf(secret, step)), Buffer.from(given))
      if (isOf) found = step
    }
  }
  return found
}
