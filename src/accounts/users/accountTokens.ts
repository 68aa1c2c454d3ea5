import { hash, randomBytes } from "node:crypto"
import { decodePartition, encodePartition } from "../../../schema/ids.ts"

/**
 * Secrets that name their slot: of sessions, mailed tokens and the second step of a sign-in. Two characters of the slot,
 * then 43 of base64url (258 bits). They are stored as their SHA-256 alone (decisions 4).
 */
const tokenPattern = /^[0-9A-HJKMNP-TV-Z]{2}[A-Za-z0-9_-]{43}$/

/** What of a token is stored: its SHA-256 in base64url. */
export const hashToken = (token: string): string => hash("sha256", token, "base64url")

/** A fresh token of an account slot. */
export const newAccountToken = (slot: number): { readonly token: string; readonly tokenHash: string } => {
  const token = encodePartition(slot) + randomBytes(33).toString("base64url").slice(0, 43)
  return { token, tokenHash: hashToken(token) }
}

/** Where a token's record would be; undefined for what cannot be one of ours. */
export const parseAccountToken = (
  token: string | undefined,
): { readonly slot: number; readonly tokenHash: string } | undefined => {
  if (token === undefined || !tokenPattern.test(token)) return undefined
  return { slot: decodePartition(token.slice(0, 2)), tokenHash: hashToken(token) }
}

/** What a token is bound to: the user's password at its issue. It is worth nothing once that has changed. */
export const bindingOf = (passwordHash: string): string => hash("sha256", passwordHash, "base64url")
