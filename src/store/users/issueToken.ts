import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["token"],
  args: ["expires_at", "...fields"],
})

/** Stores a single-use token; `fields` are names and values of its hash in turn. */
export const issueToken =
  (client: RedisClient["Service"]) =>
  (slot: number, tokenHash: string, expiresAtMillis: number, fields: ReadonlyArray<string>) =>
    Effect.asVoid(
      callFunction(
        client,
        declaration,
        { token: keys.tokenKey(slot, tokenHash) },
        { expires_at: expiresAtMillis, fields },
      ),
    )
