import * as keys from "../../store/keys.ts"
import { family, type KeyFamily, patternOf } from "./keyFamily.ts"

/** The pattern of the keys of every account slot that `keyOf` names in the first. */
const patternOfSlots = (keyOf: (slot: number) => string): string =>
  keyOf(0).replace(keys.accountTag(0), "{u*}")

/** The pattern of the keys that `keyOf` names by the ids of users, whatever their slot. */
const patternOfUser = (keyOf: (userId: string) => string): string => {
  const id = keys.userIdInSlot("00000000-0000-4000-8000-000000000000", 0)
  return patternOfSlots(() => keyOf(id)).replace(id, "*")
}

/** The families of users, their sessions and what they were mailed. */
export const accountFamilies = (): ReadonlyArray<KeyFamily> => [
  family("user", patternOfUser(keys.userKey), "hash", "one user; secrets are ciphertext"),
  family(
    "user e-mail",
    keys
      .userEmailKey("")
      .replace(keys.accountTag(keys.accountSlotOfEmail("")), "{u*}")
      .replace(/[0-9a-f]{64}$/, "*"),
    "string",
    "the user of an address, by the SHA-256 in hex of its lower case",
  ),
  family(
    "session",
    patternOfSlots((slot) => keys.sessionKey(slot, "*")),
    "hash",
    "one session, by its token's SHA-256 in base64url",
  ),
  family(
    "sessions",
    patternOfUser(keys.sessionsKey),
    "set by time",
    "a user's sessions, by the time they end (ms)",
  ),
  family(
    "known addresses",
    patternOfUser(keys.knownAddressesKey),
    "set by time",
    "addresses that a user has signed in from, by the last time (ms)",
  ),
  family(
    "backup codes",
    patternOfUser(keys.backupCodesKey),
    "set",
    "what is stored of a user's unused backup codes: their HMAC-SHA256 in base64url",
  ),
  family(
    "token",
    patternOfSlots((slot) => keys.tokenKey(slot, "*")),
    "hash",
    "one single-use token (e-mail check, reset, recovery, second step), by its SHA-256 in base64url",
  ),
  family(
    "invite",
    patternOfSlots((slot) => patternOf("inv_", slot, keys.inviteKey)),
    "hash",
    "one invite to sign up",
  ),
  family("invites", keys.invitesKey, "set by id", "ids of all invites"),
]
