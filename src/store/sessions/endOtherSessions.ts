import { Effect } from "effect"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** functions/end_other_sessions.lua; `tokenHash` is of the session that stays. */
export const endOtherSessions = (client: RedisClient["Service"]) => (userId: string, tokenHash: string) => {
  const prefix = keys.sessionPrefix(keys.accountSlotOfUser(userId))
  const call = callFunction(client, "end_other_sessions", [keys.sessionsKey(userId)], [prefix, tokenHash])
  return Effect.flatMap(call, readKind("end_other_sessions", { ended: "ended" }))
}
