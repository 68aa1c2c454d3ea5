import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user"],
  args: ["name", "now"],
})

/** Gives a user another name: `renamed`, or refused as `missing`. */
export const renameUser =
  (client: RedisClient["Service"]) => (userId: string, name: string, nowMillis: number) =>
    Effect.flatMap(
      callFunction(client, declaration, { user: keys.userKey(userId) }, { name, now: nowMillis }),
      readKind(declaration, { renamed: "renamed", missing: "missing" }),
    )
