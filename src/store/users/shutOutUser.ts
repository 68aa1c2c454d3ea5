import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user", "sessions"],
  args: ["session_prefix", "disabled_at"],
})

/**
 * Ends a user's sessions, pending sign-ins, mailed links and trusted devices: `shutOut`, or refused as `missing`.
 * `disabledAtMillis` disables the user as well; one who is disabled already keeps the earlier time.
 */
export const shutOutUser =
  (client: RedisClient["Service"]) => (userId: string, disabledAtMillis: number | undefined) =>
    Effect.flatMap(
      callFunction(
        client,
        declaration,
        { user: keys.userKey(userId), sessions: keys.sessionsKey(userId) },
        {
          session_prefix: keys.sessionPrefix(keys.accountSlotOfUser(userId)),
          disabled_at: disabledAtMillis ?? "",
        },
      ),
      readKind(declaration, { shut_out: "shutOut", missing: "missing" }),
    )
