import { timingSafeEqual } from "node:crypto"
import { generateSecret, generateSync, generateURI } from "otplib"
import { limits } from "../../../schema/limits.ts"

/** Time-based one-time passwords (RFC 6238): SHA-1, 6 digits, 30 s (docs/contract/accounts.md#totp). */
const totp = { algorithm: "sha1", digits: 6, period: limits.totpStepSeconds } as const
const issuer = "Corrente"

/** A new secret in base32: 160 bits (RFC 4226, 4). */
export const newTotpSecret = (): string => generateSecret()

/** The URI of the QR code for authenticators. Names its defaults, since some readers do not assume them. */
export const totpUri = (secret: string, email: string): string =>
  `${generateURI({ ...totp, issuer, label: email, secret })}&algorithm=SHA1&digits=${totp.digits}&period=${totp.period}`

/** The code of a step of `secret` (base32). */
export const totpCodeOf = (secret: string, step: number): string =>
  generateSync({ ...totp, secret, epoch: step * totp.period })

/** The step of a time. */
export const totpStepAt = (nowMillis: number): number => Math.floor(nowMillis / 1_000 / totp.period)

/** The six digits of a code as typed, without spaces; undefined for anything else. */
export const readTotpCode = (text: string): string | undefined => {
  const digits = text.replace(/\s/g, "")
  return /^[0-9]{6}$/.test(digits) ? digits : undefined
}

/**
 * The step of `secret` (base32) that a code is of: at most one step from now, the nearest if several match; undefined
 * for a wrong code. Takes the same time for right and wrong codes.
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
