import { Effect } from "effect"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"
import { readKind } from "./reply.ts"

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
