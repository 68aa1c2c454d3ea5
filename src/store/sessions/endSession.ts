import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["sessions"],
  args: ["session_prefix", "token_hash", "session_id"],
})

/** Ends a session, found by its token's hash if that is given, else by its id: `ended`, or refused as `missing`. */
export const endSession =
  (client: RedisClient["Service"]) =>
  (userId: string, session: { readonly id: string; readonly tokenHash?: string }) => {
    const prefix = keys.sessionPrefix(keys.accountSlotOfUser(userId))
    const call = callFunction(
      client,
      declaration,
      { sessions: keys.sessionsKey(userId) },
      { session_prefix: prefix, token_hash: session.tokenHash ?? "", session_id: session.id },
    )
    return Effect.flatMap(call, readKind(declaration, { ended: "ended", missing: "missing" }))
  }
