import { Effect } from "effect"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"
import { readKind } from "./reply.ts"

/** functions/end_other_sessions.lua; `tokenHash` is of the session that stays. */
export const endOtherSessions = (client: RedisClient["Service"]) => (userId: string, tokenHash: string) => {
  const prefix = keys.sessionPrefix(keys.accountSlotOfUser(userId))
  const call = callFunction(client, "end_other_sessions", [keys.sessionsKey(userId)], [prefix, tokenHash])
  return Effect.flatMap(call, readKind("end_other_sessions", { ended: "ended" }))
}
