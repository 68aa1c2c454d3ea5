import { Effect } from "effect"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** functions/end_session.lua; by its token's hash where that is known, else by its id. */
export const endSession =
  (client: RedisClient["Service"]) =>
  (userId: string, session: { readonly id: string; readonly tokenHash?: string }) => {
    const prefix = keys.sessionPrefix(keys.accountSlotOfUser(userId))
    const call = callFunction(
      client,
      "end_session",
      [keys.sessionsKey(userId)],
      [prefix, session.tokenHash ?? "", session.id],
    )
    return Effect.flatMap(call, readKind("end_session", { ended: "ended", missing: "missing" }))
  }
