import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user", "sessions", "session"],
  args: ["old_hash", "new_hash", "now", "token_hash", "session_prefix", "new_token_hash"],
})

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

/** changePassword.lua */
export const changePassword = (client: RedisClient["Service"]) => (change: PasswordToChange) => {
  const { userId, tokenHash, oldHash, newHash, newTokenHash, nowMillis } = change
  const slot = keys.accountSlotOfUser(userId)
  return Effect.flatMap(
    callFunction(
      client,
      declaration,
      {
        user: keys.userKey(userId),
        sessions: keys.sessionsKey(userId),
        session: keys.sessionKey(slot, tokenHash),
      },
      {
        old_hash: oldHash,
        new_hash: newHash,
        now: nowMillis,
        token_hash: tokenHash,
        session_prefix: keys.sessionPrefix(slot),
        new_token_hash: newTokenHash ?? "",
      },
    ),
    readKind("change_password", kinds),
  )
}
