import { Effect } from "effect"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"
import { readKind } from "./reply.ts"

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
