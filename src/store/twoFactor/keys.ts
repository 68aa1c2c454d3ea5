import { accountSlotOfUser, accountTag } from "../tags.ts"

/** Set: hashes of a user's unused backup codes. */
export const backupCodesKey = (userId: string): string =>
  `backup-codes:${accountTag(accountSlotOfUser(userId))}:${userId}`
