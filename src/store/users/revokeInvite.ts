import { Effect } from "effect"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** functions/revoke_invite.lua */
export const revokeInvite = (client: RedisClient["Service"]) => (inviteId: string) =>
  Effect.flatMap(
    callFunction(client, "revoke_invite", [keys.inviteKey(inviteId)], []),
    readKind("revoke_invite", { revoked: "revoked", missing: "missing", used: "used" }),
  )
