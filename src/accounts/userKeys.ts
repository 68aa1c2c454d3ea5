import { hash } from "node:crypto"

/** Hash: a user's record. */
export const userKey = (userId: string): string => `user:${userId}`

/**
 * String: the id of the user who has an e-mail address, whatever its case. SHA-256 in hex, so that no address stands
 * in a key's name and `printf %s ana@example.com | sha256sum` finds it.
 */
export const userEmailKey = (email: string): string => `user-email:${hash("sha256", email.toLowerCase())}`

/** Stream: mails, where there is no SMTP_URL (decisions 4). */
export const mailKey = "mail"
