import { Effect } from "effect"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** functions/accept_terms.lua */
export const acceptTerms =
  (client: RedisClient["Service"]) => (userId: string, version: string, nowMillis: number) =>
    Effect.flatMap(
      callFunction(client, "accept_terms", [keys.userKey(userId)], [version, nowMillis]),
      readKind("accept_terms", { accepted: "accepted", missing: "missing" }),
    )
