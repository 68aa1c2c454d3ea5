import { family, type KeyFamilies, patternOfUser } from "../keyFamily.ts"
import { accountSlotOfUser, accountTag } from "../tags.ts"

/** Set: hashes of a user's unused backup codes. */
export const backupCodesKey = (userId: string): string =>
  `backup-codes:${accountTag(accountSlotOfUser(userId))}:${userId}`

/** The key family of backup codes. */
export const twoFactorFamilies: KeyFamilies = {
  ofService: () => [
    family(
      "backup codes",
      patternOfUser(backupCodesKey),
      "set",
      "a user's unused backup codes, as HMAC-SHA256 in base64url",
    ),
  ],
}
