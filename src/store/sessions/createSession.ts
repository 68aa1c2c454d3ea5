import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { SessionToWrite } from "../users/createUser.ts"

/** functions/create_session.lua; `passwordHash` is the one that was verified. */
export const createSession =
  (client: RedisClient["Service"]) => (userId: string, passwordHash: string, session: SessionToWrite) => {
    const call = callFunction(
      client,
      "create_session",
      [keys.userKey(userId), keys.sessionsKey(userId)],
      [
        ...[passwordHash, keys.sessionPrefix(keys.accountSlotOfUser(userId)), session.tokenHash],
        ...[session.expiresAtMillis, limits.sessionsPerUserMax, ...session.fields],
      ],
    )
    return Effect.flatMap(
      call,
      readKind("create_session", { created: "created", password_changed: "passwordChanged" }),
    )
  }
