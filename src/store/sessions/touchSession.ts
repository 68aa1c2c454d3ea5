import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["session"],
  args: ["now"],
})

/** Records when a session was last used. */
export const touchSession =
  (client: RedisClient["Service"]) => (slot: number, tokenHash: string, nowMillis: number) =>
    Effect.asVoid(
      callFunction(client, declaration, { session: keys.sessionKey(slot, tokenHash) }, { now: nowMillis }),
    )
