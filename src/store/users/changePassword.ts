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

/** A password to change. */
export interface PasswordToChange {
  readonly userId: string
  /** The hash of the requesting session's token. */
  readonly tokenHash: string
  /** The hash that the password was verified against. */
  readonly oldHash: string
  readonly newHash: string
  /** The hash of the session's new token if all other sessions are to end; undefined if they stay. */
  readonly newTokenHash: string | undefined
  readonly nowMillis: number
}

const kinds = { changed: "changed", password_changed: "passwordChanged", no_session: "noSession" } as const

/** Changes a user's password: `changed`, or refused as `passwordChanged` or `noSession`. */
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
    readKind(declaration, kinds),
  )
}
