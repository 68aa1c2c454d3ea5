import { Effect } from "effect"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"
import { readKind } from "./reply.ts"

/** functions/reset_password.lua */
export const resetPassword =
  (client: RedisClient["Service"]) =>
  (userId: string, tokenHash: string, passwordHash: string, nowMillis: number) => {
    const slot = keys.accountSlotOfUser(userId)
    return Effect.flatMap(
      callFunction(
        client,
        "reset_password",
        [keys.tokenKey(slot, tokenHash), keys.userKey(userId), keys.sessionsKey(userId)],
        [userId, passwordHash, keys.sessionPrefix(slot), nowMillis],
      ),
      readKind("reset_password", { reset: "reset", token_used: "tokenUsed" }),
    )
  }
