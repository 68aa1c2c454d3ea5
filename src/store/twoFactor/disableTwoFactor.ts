import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user", "backup_codes", "sessions", "session"],
  args: ["password_hash", "session_prefix", "now"],
})

/** A second factor to turn off. */
export interface Disabling {
  readonly userId: string
  /** The hash of the requesting session's token. */
  readonly tokenHash: string
  /** The hash that the password was verified against. */
  readonly passwordHash: string
  readonly nowMillis: number
}

const kinds = {
  off: "off",
  password_changed: "passwordChanged",
  was_off: "wasOff",
  not_stepped_up: "notSteppedUp",
} as const

/**
 * Turns a user's second factor off and ends all sessions: `off`, or refused as `passwordChanged`, `wasOff` or
 * `notSteppedUp`.
 */
export const disableTwoFactor = (client: RedisClient["Service"]) => (disabling: Disabling) => {
  const { userId, tokenHash, passwordHash, nowMillis } = disabling
  const slot = keys.accountSlotOfUser(userId)
  return Effect.flatMap(
    callFunction(
      client,
      declaration,
      {
        user: keys.userKey(userId),
        backup_codes: keys.backupCodesKey(userId),
        sessions: keys.sessionsKey(userId),
        session: keys.sessionKey(slot, tokenHash),
      },
      { password_hash: passwordHash, session_prefix: keys.sessionPrefix(slot), now: nowMillis },
    ),
    readKind(declaration, kinds),
  )
}
