import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["invite"],
  args: ["expires_at", "...fields"],
})

/** Creates an invite; `fields` are names and values of its hash in turn. */
export const createInvite =
  (client: RedisClient["Service"]) =>
  (inviteId: string, expiresAtMillis: number, fields: ReadonlyArray<string>) =>
    Effect.asVoid(
      callFunction(
        client,
        declaration,
        { invite: keys.inviteKey(inviteId) },
        { expires_at: expiresAtMillis + limits.inviteShownMillis, fields },
      ),
    )
