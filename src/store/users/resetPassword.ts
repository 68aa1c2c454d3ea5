import { Effect } from "effect"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** functions/reset_password.lua; `oldHash` and `newHash` are hashes of the user's passwords. */
export const resetPassword =
  (client: RedisClient["Service"]) =>
  (userId: string, tokenHash: string, oldHash: string, newHash: string, nowMillis: number) => {
    const slot = keys.accountSlotOfUser(userId)
    return Effect.flatMap(
      callFunction(
        client,
        "reset_password",
        [keys.tokenKey(slot, tokenHash), keys.userKey(userId), keys.sessionsKey(userId)],
        [userId, newHash, keys.sessionPrefix(slot), nowMillis, oldHash],
      ),
      readKind("reset_password", { reset: "reset", token_used: "tokenUsed" }),
    )
  }
