import { Effect } from "effect"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** A second factor to be turned off. */
export interface Disabling {
  readonly userId: string
  /** Of the token of the session that asks. */
  readonly tokenHash: string
  /** That the password was verified against. */
  readonly passwordHash: string
  readonly nowMillis: number
}

const kinds = {
  off: "off",
  password_changed: "passwordChanged",
  was_off: "wasOff",
  not_stepped_up: "notSteppedUp",
} as const

/** functions/disable_two_factor.lua */
export const disableTwoFactor = (client: RedisClient["Service"]) => (disabling: Disabling) => {
  const { userId, tokenHash, passwordHash, nowMillis } = disabling
  const slot = keys.accountSlotOfUser(userId)
  return Effect.flatMap(
    callFunction(
      client,
      "disable_two_factor",
      [
        keys.userKey(userId),
        keys.backupCodesKey(userId),
        keys.sessionsKey(userId),
        keys.sessionKey(slot, tokenHash),
      ],
      [passwordHash, keys.sessionPrefix(slot), nowMillis],
    ),
    readKind("disable_two_factor", kinds),
  )
}
