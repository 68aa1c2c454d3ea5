import { Effect } from "effect"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"
import { readKind } from "./reply.ts"

/** functions/revoke_invite.lua */
export const revokeInvite = (client: RedisClient["Service"]) => (inviteId: string) =>
  Effect.flatMap(
    callFunction(client, "revoke_invite", [keys.inviteKey(inviteId)], []),
    readKind("revoke_invite", { revoked: "revoked", missing: "missing", used: "used" }),
  )
