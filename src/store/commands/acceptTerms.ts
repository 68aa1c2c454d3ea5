import { Effect } from "effect"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"
import { readKind } from "./reply.ts"

/** functions/accept_terms.lua */
export const acceptTerms =
  (client: RedisClient["Service"]) => (userId: string, version: string, nowMillis: number) =>
    Effect.flatMap(
      callFunction(client, "accept_terms", [keys.userKey(userId)], [version, nowMillis]),
      readKind("accept_terms", { accepted: "accepted", missing: "missing" }),
    )
