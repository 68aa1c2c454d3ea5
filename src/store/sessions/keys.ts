import { family, type KeyFamilies, patternOfSlots, patternOfUser } from "../keyFamily.ts"
import { accountSlotOfUser, accountTag } from "../tags.ts"

/** Hash: a session, by the SHA-256 of its token. */
export const sessionKey = (slot: number, tokenHash: string): string => sessionPrefix(slot) + tokenHash

/** The prefix of `sessionKey`, for functions that build its names. */
export const sessionPrefix = (slot: number): string => `session:${accountTag(slot)}:`

/** Sorted set: hashes of a user's session tokens by their expiry in ms. */
export const sessionsKey = (userId: string): string =>
  `sessions:${accountTag(accountSlotOfUser(userId))}:${userId}`

/** Sorted set: addresses (of IPv6 the /64) that a user has signed in from, by the time of the last sign-in in ms. */
export const knownAddressesKey = (userId: string): string =>
  `known-addresses:${accountTag(accountSlotOfUser(userId))}:${userId}`

/** The key families of sessions. */
export const sessionFamilies: KeyFamilies = {
  ofService: () => [
    family(
      "session",
      patternOfSlots((slot) => sessionKey(slot, "*")),
      "hash",
      "one session, by its token's SHA-256 in base64url",
    ),
    family(
      "sessions",
      patternOfUser(sessionsKey),
      "set by time",
      "a user's sessions, by the time they end (ms)",
    ),
    family(
      "known addresses",
      patternOfUser(knownAddressesKey),
      "set by time",
      "addresses that a user has signed in from, by the last time (ms)",
    ),
  ],
}
