import * as keys from "../../store/keys.ts"
import { family, type KeyFamily, patternOf } from "./keyFamily.ts"

/** The pattern of a key in every account slot. */
const patternOfSlots = (keyOf: (slot: number) => string): string =>
  keyOf(0).replace(keys.accountTag(0), "{u*}")

/** The pattern of a key by user id, in every account slot. */
const patternOfUser = (keyOf: (userId: string) => string): string => {
  const id = keys.userIdInSlot("00000000-0000-4000-8000-000000000000", 0)
  return patternOfSlots(() => keyOf(id)).replace(id, "*")
}

/** The key families of users, their sessions and tokens. */
export const accountFamilies = (): ReadonlyArray<KeyFamily> => [
  family("user", patternOfUser(keys.userKey), "hash", "one user; secrets are ciphertext"),
  family(
    "user e-mail",
    keys
      .userEmailKey("")
      .replace(keys.accountTag(keys.accountSlotOfEmail("")), "{u*}")
      .replace(/[0-9a-f]{64}$/, "*"),
    "string",
    "the user of an address, by the hex SHA-256 of the address in lower case",
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
    "a user's unused backup codes, as HMAC-SHA256 in base64url",
  ),
  family(
    "token",
    patternOfSlots((slot) => keys.tokenKey(slot, "*")),
    "hash",
    "one single-use token (e-mail verification, password reset, recovery, second step), by its SHA-256 in base64url",
  ),
  family(
    "invite",
    patternOfSlots((slot) => patternOf("inv_", slot, keys.inviteKey)),
    "hash",
    "one invite to sign up",
  ),
  family("invites", keys.invitesKey, "set by id", "ids of all invites"),
]
