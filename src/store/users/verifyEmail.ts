import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["token", "user"],
  args: ["user_id", "now", "operation"],
})

/** Redeems a verification token: `verified`, or refused as `tokenUsed`. `operation` identifies retries after a lost reply. */
export const verifyEmail =
  (client: RedisClient["Service"]) =>
  (userId: string, tokenHash: string, nowMillis: number, operation: string) =>
    Effect.flatMap(
      callFunction(
        client,
        declaration,
        { token: keys.tokenKey(keys.accountSlotOfUser(userId), tokenHash), user: keys.userKey(userId) },
        { user_id: userId, now: nowMillis, operation },
      ),
      readKind(declaration, { verified: "verified", token_used: "tokenUsed" }),
    )
