import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["invite"],
  args: [],
})

/** Revokes an invite: `revoked`, or refused as `missing` or `used`. */
export const revokeInvite = (client: RedisClient["Service"]) => (inviteId: string) =>
  Effect.flatMap(
    callFunction(client, declaration, { invite: keys.inviteKey(inviteId) }, {}),
    readKind(declaration, { revoked: "revoked", missing: "missing", used: "used" }),
  )
