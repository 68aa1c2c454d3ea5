import { Effect } from "effect"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

/** functions/touch_session.lua */
export const touchSession =
  (client: RedisClient["Service"]) => (slot: number, tokenHash: string, nowMillis: number) =>
    Effect.asVoid(callFunction(client, "touch_session", [keys.sessionKey(slot, tokenHash)], [nowMillis]))
