import { generateSync } from "otplib"
import { eventually } from "./client.ts"

const stepSeconds = 30

/** An authenticator app. A code is accepted once, so each code is of a later step than the one before. */
export interface Authenticator {
  readonly secret: string
  /** A code that is accepted now (RFC 6238: of this step or one beside it); waits for one where all are used. */
  readonly next: () => Promise<string>
}

/** The code of a step, counted from 1970. */
export const codeOfStep = (secret: string, step: number): string =>
  generateSync({ secret, epoch: step * stepSeconds })

/** The current step. */
export const currentStep = (): number => Math.floor(Date.now() / 1_000 / stepSeconds)

/** The oldest step that is accepted now and for some seconds more. */
const oldestStep = (): number => {
  const secondsLeft = stepSeconds - ((Date.now() / 1_000) % stepSeconds)
  return secondsLeft > 8 ? currentStep() - 1 : currentStep()
}

/** An authenticator for a secret in base32. */
export const makeAuthenticator = (secret: string): Authenticator => {
  let last = 0
  return {
    secret,
    next: async () => {
      last = await eventually(
        "a step whose code is unused",
        () => {
          const candidate = Math.max(last + 1, oldestStep())
          return candidate <= currentStep() + 1 ? candidate : undefined
        },
        45_000,
      )
      return codeOfStep(secret, last)
    },
  }
}

/** The secret in the `otpauth:` URI that enabling 2FA answers. */
export const secretOf = (totpUri: string): string => {
  const secret = new URL(totpUri).searchParams.get("secret")
  if (secret === null) throw new Error(`no secret in ${totpUri}`)
  return secret
}
