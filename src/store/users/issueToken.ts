import { Effect } from "effect"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

/** functions/issue_token.lua; `fields` are those of the token's hash, and values, in turn. */
export const issueToken =
  (client: RedisClient["Service"]) =>
  (slot: number, tokenHash: string, expiresAtMillis: number, fields: ReadonlyArray<string>) =>
    Effect.asVoid(
      callFunction(client, "issue_token", [keys.tokenKey(slot, tokenHash)], [expiresAtMillis, ...fields]),
    )
