import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import type { SessionToWrite } from "../users/createUser.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user", "sessions"],
  args: ["password_hash", "session_prefix", "token_hash", "expires_at", "sessions_max", "...fields"],
})

/** Creates a session: `created`, or refused as `passwordChanged` unless `passwordHash` is still the user's. */
export const createSession =
  (client: RedisClient["Service"]) => (userId: string, passwordHash: string, session: SessionToWrite) => {
    const call = callFunction(
      client,
      declaration,
      { user: keys.userKey(userId), sessions: keys.sessionsKey(userId) },
      {
        password_hash: passwordHash,
        session_prefix: keys.sessionPrefix(keys.accountSlotOfUser(userId)),
        token_hash: session.tokenHash,
        expires_at: session.expiresAtMillis,
        sessions_max: limits.sessionsPerUserMax,
        fields: session.fields,
      },
    )
    return Effect.flatMap(
      call,
      readKind(declaration, { created: "created", password_changed: "passwordChanged" }),
    )
  }
