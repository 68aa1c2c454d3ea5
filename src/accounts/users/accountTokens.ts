import { hash, randomBytes } from "node:crypto"
import { decodePartition, encodePartition } from "../../../schema/ids.ts"
import { accountSlotOfUser } from "../../store/keys.ts"
import type { Session } from "../sessions/session.ts"

/**
 * Tokens of sessions, mailed links and pending sign-ins: two characters that name the account slot, then 43 of
 * base64url (258 bits). Only their SHA-256 is stored (docs/contract/accounts.md#tokens).
 */
const tokenPattern = /^[0-9A-HJKMNP-TV-Z]{2}[A-Za-z0-9_-]{43}$/

/** The stored form of a token: its SHA-256 in base64url. */
export const hashToken = (token: string): string => hash("sha256", token, "base64url")

/** A token, for a cookie or a mail only, and its stored form. */
export interface NewToken {
  readonly token: string
  readonly tokenHash: string
}

/** A new token in an account slot. */
export const newAccountToken = (slot: number): NewToken => {
  const token = encodePartition(slot) + randomBytes(33).toString("base64url").slice(0, 43)
  return { token, tokenHash: hashToken(token) }
}

/**
 * A new token for a session that is stepped up. None for one that was found under its former token: its browser is about to
 * have the present one.
 */
export const newTokenOf = ({ userId, isUnderFormerToken }: Session): NewToken | undefined =>
  isUnderFormerToken === true ? undefined : newAccountToken(accountSlotOfUser(userId))

/** Where the record of a token would be; undefined for text that cannot be a token. */
export const parseAccountToken = (
  token: string | undefined,
): { readonly slot: number; readonly tokenHash: string } | undefined => {
  if (token === undefined || !tokenPattern.test(token)) return undefined
  return { slot: decodePartition(token.slice(0, 2)), tokenHash: hashToken(token) }
}

/** What binds a token to the password at its issue: once that changes, the token is worthless. */
export const bindingOf = (passwordHash: string): string => hash("sha256", passwordHash, "base64url")
