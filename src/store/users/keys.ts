import { accountSlotOfEmail, accountSlotOfUser, accountTag, emailHash, partitionOf } from "../tags.ts"

/** Hash: a user's record. */
export const userKey = (userId: string): string => `user:${accountTag(accountSlotOfUser(userId))}:${userId}`

/** String: the id of an e-mail address' user. `printf %s ana@example.com | sha256sum` prints the hash in its name. */
export const userEmailKey = (email: string): string =>
  `user-email:${accountTag(accountSlotOfEmail(email))}:${emailHash(email)}`

/** Hash: a single-use token (email verification, reset, recovery, second step of a sign-in), by its SHA-256. */
export const tokenKey = (slot: number, tokenHash: string): string => `token:${accountTag(slot)}:${tokenHash}`

/** Hash: an invite to sign up. */
export const inviteKey = (inviteId: string): string =>
  `invite:${accountTag(partitionOf(inviteId))}:${inviteId}`

/** Sorted set, all scores 0: all invite ids, sorted by age. */
export const invitesKey = "invites"
