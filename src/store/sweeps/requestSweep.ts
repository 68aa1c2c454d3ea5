import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, { keys: ["sweep"], args: [] })

/** Asks for a sweep of an account that begins after now. */
export const requestSweep = (client: RedisClient["Service"]) => (account: string) =>
  Effect.asVoid(callFunction(client, declaration, { sweep: keys.sweepKey(account) }, {}))
