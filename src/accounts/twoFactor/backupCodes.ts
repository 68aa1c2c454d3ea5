import { hash, randomInt, timingSafeEqual } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { limits } from "../../../schema/limits.ts"
import { AccountSecrets } from "../accountSecrets.ts"

/** Crockford's base32 in lower case: no letter that looks like a digit or another. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
/** 50 bits: ten codes at five tries a minute last far longer than any secret. */
const codeLength = 10
const groupLength = 5

/** Ten backup codes, each valid once (docs/contract/accounts.md#backup-codes). */
export interface BackupCodeSet {
  /** As shown, once: `xxxxx-xxxxx`. */
  readonly codes: ReadonlyArray<string>
  /** As stored. */
  readonly stored: ReadonlyArray<string>
}

/** Makes and reads backup codes. */
export class BackupCodes extends Context.Service<
  BackupCodes,
  {
    /** New codes for a user. */
    readonly draw: (userId: string) => BackupCodeSet
    /** Which of a user's stored codes is the one that was typed; undefined where none is. */
    readonly find: (userId: string, text: string, stored: ReadonlyArray<string>) => string | undefined
  }
>()("corrente/accounts/BackupCodes") {}

/**
 * The ten characters of a code in any case, without dashes and spaces, with `o`, `i` and `l` read as the digits they
 * resemble.
 */
export const readBackupCode = (text: string): string | undefined => {
  const code = text.replace(/[\s-]/g, "").toLowerCase().replace(/o/g, "0").replace(/[il]/g, "1")
  return code.length === codeLength && [...code].every((character) => alphabet.includes(character))
    ? code
    : undefined
}

const drawCode = (): string =>
  Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join("")

const shown = (code: string): string => `${code.slice(0, groupLength)}-${code.slice(groupLength)}`

const digestOf = (userId: string, code: string): string => hash("sha256", `${userId} ${code}`, "base64url")

/**
 * Codes are stored as the ciphertext of their SHA-256 in base64url: they are too short for a bare hash, the store alone must not reveal
 * them, and unlike an HMAC a ciphertext can be made anew under another key without the code.
 */
export const BackupCodesLive = Layer.effect(
  BackupCodes,
  Effect.gen(function* () {
    const { seal } = yield* AccountSecrets
    const { open } = yield* SecretOpener
    const store = (userId: string, code: string): string =>
      seal(digestOf(userId, code), sealedPlaces.backupCode(userId))

    return BackupCodes.of({
      draw: (userId) => {
        const codes = new Set<string>()
        while (codes.size < limits.backupCodesCount) codes.add(drawCode())
        return { codes: [...codes].map(shown), stored: [...codes].map((code) => store(userId, code)) }
      },
      find: (userId, text, stored) => {
        const code = readBackupCode(text)
        if (code === undefined) return undefined
        const digest = Buffer.from(digestOf(userId, code))
        return stored.find((sealed) => {
          const known = Buffer.from(open(sealed, sealedPlaces.backupCode(userId)) ?? "")
          return known.length === digest.length && timingSafeEqual(known, digest)
        })
      },
    })
  }),
)
