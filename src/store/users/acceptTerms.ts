import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user"],
  args: ["version", "now"],
})

/** Records the version of the terms that a user accepted: `accepted`, or refused as `missing`. */
export const acceptTerms =
  (client: RedisClient["Service"]) => (userId: string, version: string, nowMillis: number) =>
    Effect.flatMap(
      callFunction(client, declaration, { user: keys.userKey(userId) }, { version, now: nowMillis }),
      readKind(declaration, { accepted: "accepted", missing: "missing" }),
    )
