import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["token", "user", "backup_codes", "sessions"],
  args: ["user_id", "session_prefix", "now", "operation"],
})

/** Redeems a recovery token: `recovered`, or refused as `tokenUsed`. `operation` identifies retries after a lost reply. */
export const recoverTwoFactor =
  (client: RedisClient["Service"]) =>
  (userId: string, tokenHash: string, nowMillis: number, operation: string) => {
    const slot = keys.accountSlotOfUser(userId)
    return Effect.flatMap(
      callFunction(
        client,
        declaration,
        {
          token: keys.tokenKey(slot, tokenHash),
          user: keys.userKey(userId),
          backup_codes: keys.backupCodesKey(userId),
          sessions: keys.sessionsKey(userId),
        },
        { user_id: userId, session_prefix: keys.sessionPrefix(slot), now: nowMillis, operation },
      ),
      readKind(declaration, { recovered: "recovered", token_used: "tokenUsed" }),
    )
  }
