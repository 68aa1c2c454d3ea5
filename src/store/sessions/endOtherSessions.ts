import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["sessions"],
  args: ["session_prefix", "token_hash"],
})

/** Ends all sessions of a user except the one with `tokenHash`. */
export const endOtherSessions = (client: RedisClient["Service"]) => (userId: string, tokenHash: string) => {
  const prefix = keys.sessionPrefix(keys.accountSlotOfUser(userId))
  const call = callFunction(
    client,
    declaration,
    { sessions: keys.sessionsKey(userId) },
    { session_prefix: prefix, token_hash: tokenHash },
  )
  return Effect.flatMap(call, readKind(declaration, { ended: "ended" }))
}
