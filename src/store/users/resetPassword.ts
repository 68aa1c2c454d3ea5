import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["token", "user", "sessions"],
  args: ["user_id", "new_hash", "session_prefix", "now", "old_hash"],
})

/**
 * Redeems a reset token: `reset`, or refused as `tokenUsed`. `oldHash` is the password's hash when the token was checked,
 * `newHash` the new one's.
 */
export const resetPassword =
  (client: RedisClient["Service"]) =>
  (userId: string, tokenHash: string, oldHash: string, newHash: string, nowMillis: number) => {
    const slot = keys.accountSlotOfUser(userId)
    return Effect.flatMap(
      callFunction(
        client,
        declaration,
        {
          token: keys.tokenKey(slot, tokenHash),
          user: keys.userKey(userId),
          sessions: keys.sessionsKey(userId),
        },
        {
          user_id: userId,
          new_hash: newHash,
          session_prefix: keys.sessionPrefix(slot),
          now: nowMillis,
          old_hash: oldHash,
        },
      ),
      readKind(declaration, { reset: "reset", token_used: "tokenUsed" }),
    )
  }
