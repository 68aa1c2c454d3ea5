import { Effect } from "effect"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, { keys: ["set"], args: ["expected", "replacement"] })

/** Replaces a ciphertext of a set: `resealed`, or refused as `stale` where it was used or removed. */
export const resealMember =
  (client: RedisClient["Service"]) => (set: string, expected: string, replacement: string) =>
    Effect.flatMap(
      callFunction(client, declaration, { set }, { expected, replacement }),
      readKind(declaration, { resealed: "resealed", stale: "stale" }),
    )
