import { Effect } from "effect"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"

/** functions/touch_session.lua */
export const touchSession =
  (client: RedisClient["Service"]) => (slot: number, tokenHash: string, nowMillis: number) =>
    Effect.asVoid(callFunction(client, "touch_session", [keys.sessionKey(slot, tokenHash)], [nowMillis]))
