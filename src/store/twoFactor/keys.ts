import { family, type KeyFamilies, patternOfUser } from "../keyFamily.ts"
import { accountSlotOfUser, accountTag } from "../tags.ts"

/** Set: hashes of a user's unused backup codes. */
export const backupCodesKey = (userId: string): string =>
  `backup-codes:${accountTag(accountSlotOfUser(userId))}:${userId}`

/** Hash: the code that was mailed last to a user who enrols a second factor, and how many were mailed. */
export const mailCodeKey = (userId: string): string =>
  `mail-code:${accountTag(accountSlotOfUser(userId))}:${userId}`

/** The key families of second factors. */
export const twoFactorFamilies: KeyFamilies = {
  ofService: () => [
    family(
      "backup codes",
      patternOfUser(backupCodesKey),
      "set",
      "a user's unused backup codes, as HMAC-SHA256 in base64url",
    ),
    family(
      "mailed code",
      patternOfUser(mailCodeKey),
      "hash",
      "the code mailed last to a user who turns 2FA on, as HMAC-SHA256 in base64url",
    ),
  ],
}
