import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"
import type { SessionToWrite } from "./createUser.ts"
import { readKind } from "./reply.ts"

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
