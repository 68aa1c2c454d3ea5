import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["session", "sessions"],
  args: ["session_prefix", "token_hash", "new_token_hash", "grace"],
})

/** Replaces a user's session by another of the same user: `replaced`, or refused as `missing` if it has ended. */
export const replaceSession =
  (client: RedisClient["Service"]) => (userId: string, tokenHash: string, newTokenHash: string) => {
    const slot = keys.accountSlotOfUser(userId)
    const call = callFunction(
      client,
      declaration,
      { session: keys.sessionKey(slot, tokenHash), sessions: keys.sessionsKey(userId) },
      {
        session_prefix: keys.sessionPrefix(slot),
        token_hash: tokenHash,
        new_token_hash: newTokenHash,
        grace: limits.formerTokenMillis,
      },
    )
    return Effect.flatMap(call, readKind(declaration, { replaced: "replaced", missing: "missing" }))
  }
