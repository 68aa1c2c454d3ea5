import { Effect } from "effect"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** functions/verify_email.lua; `operation` names this call and its repetitions after a lost reply. */
export const verifyEmail =
  (client: RedisClient["Service"]) =>
  (userId: string, tokenHash: string, nowMillis: number, operation: string) =>
    Effect.flatMap(
      callFunction(
        client,
        "verify_email",
        [keys.tokenKey(keys.accountSlotOfUser(userId), tokenHash), keys.userKey(userId)],
        [userId, nowMillis, operation],
      ),
      readKind("verify_email", { verified: "verified", token_used: "tokenUsed" }),
    )
