import { family, type KeyFamilies, patternOf, patternOfSlots, patternOfUser } from "../keyFamily.ts"
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

/** Set: ids of the operators who are disabled. */
export const disabledOperatorsKey = "operators-disabled"

/** The pattern of the keys of all users, on every server. */
export const everyUserPattern = "user:{u*}:*"

/** The key families of users, their tokens and invites. */
export const userFamilies: KeyFamilies = {
  ofService: () => [
    family("user", patternOfUser(userKey), "hash", "one user; secrets are ciphertext"),
    family(
      "user e-mail",
      userEmailKey("")
        .replace(accountTag(accountSlotOfEmail("")), "{u*}")
        .replace(/[0-9a-f]{64}$/, "*"),
      "string",
      "the user of an address, by the hex SHA-256 of the address in lower case",
    ),
    family(
      "token",
      patternOfSlots((slot) => tokenKey(slot, "*")),
      "hash",
      "one single-use token (e-mail verification, password reset, recovery, second step), by its SHA-256 in base64url",
    ),
    family(
      "invite",
      patternOfSlots((slot) => patternOf("inv_", slot, inviteKey)),
      "hash",
      "one invite to sign up",
    ),
    family("invites", invitesKey, "set by id", "ids of all invites"),
    family("disabled operators", disabledOperatorsKey, "set", "ids of operators who are disabled"),
  ],
}
