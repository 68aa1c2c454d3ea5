import { createHmac, randomInt } from "node:crypto"
import { Context, Layer } from "effect"
import { limits } from "../../../schema/limits.ts"

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
    /** The stored form of a code as typed; undefined for text that cannot be a code. */
    readonly storedOf: (userId: string, text: string) => string | undefined
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

/**
 * Codes are stored as HMAC-SHA256 in base64url under a key derived from `ENCRYPTION_KEY` (32 bytes): they are too
 * short for a bare hash, and the store alone must not reveal them.
 */
export const BackupCodesLive = (encryptionKey: Uint8Array) => {
  const key = createHmac("sha256", encryptionKey).update("backup codes").digest()
  const store = (userId: string, code: string): string =>
    createHmac("sha256", key).update(`${userId} ${code}`).digest("base64url")

  return Layer.succeed(BackupCodes, {
    draw: (userId) => {
      const codes = new Set<string>()
      while (codes.size < limits.backupCodesCount) codes.add(drawCode())
      return { codes: [...codes].map(shown), stored: [...codes].map((code) => store(userId, code)) }
    },
    storedOf: (userId, text) => {
      const code = readBackupCode(text)
      return code === undefined ? undefined : store(userId, code)
    },
  })
}
