import { Effect } from "effect"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** functions/recover_two_factor.lua; `operation` names this call and its repetitions after a lost reply. */
export const recoverTwoFactor =
  (client: RedisClient["Service"]) =>
  (userId: string, tokenHash: string, nowMillis: number, operation: string) => {
    const slot = keys.accountSlotOfUser(userId)
    return Effect.flatMap(
      callFunction(
        client,
        "recover_two_factor",
        [
          ...[keys.tokenKey(slot, tokenHash), keys.userKey(userId)],
          ...[keys.backupCodesKey(userId), keys.sessionsKey(userId)],
        ],
        [userId, keys.sessionPrefix(slot), nowMillis, operation],
      ),
      readKind("recover_two_factor", { recovered: "recovered", token_used: "tokenUsed" }),
    )
  }
