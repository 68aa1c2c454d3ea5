import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

/** functions/create_invite.lua; `fields` are those of the invite's hash, and values, in turn. */
export const createInvite =
  (client: RedisClient["Service"]) =>
  (inviteId: string, expiresAtMillis: number, fields: ReadonlyArray<string>) =>
    Effect.asVoid(
      callFunction(
        client,
        "create_invite",
        [keys.inviteKey(inviteId)],
        [expiresAtMillis + limits.inviteShownMillis, ...fields],
      ),
    )
