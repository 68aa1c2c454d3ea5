import { Effect } from "effect"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** A password to be changed. */
export interface PasswordToChange {
  readonly userId: string
  /** Of the token of the session that asks. */
  readonly tokenHash: string
  /** That the password was verified against. */
  readonly oldHash: string
  readonly newHash: string
  /** Of the token that the session goes on under, where all others end. */
  readonly newTokenHash: string | undefined
  readonly nowMillis: number
}

const kinds = { changed: "changed", password_changed: "passwordChanged", no_session: "noSession" } as const

/** functions/change_password.lua */
export const changePassword = (client: RedisClient["Service"]) => (change: PasswordToChange) => {
  const { userId, tokenHash, oldHash, newHash, newTokenHash, nowMillis } = change
  const slot = keys.accountSlotOfUser(userId)
  return Effect.flatMap(
    callFunction(
      client,
      "change_password",
      [keys.userKey(userId), keys.sessionsKey(userId), keys.sessionKey(slot, tokenHash)],
      [oldHash, newHash, nowMillis, tokenHash, keys.sessionPrefix(slot), newTokenHash ?? ""],
    ),
    readKind("change_password", kinds),
  )
}
