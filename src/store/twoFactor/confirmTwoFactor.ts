import { Effect } from "effect"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** The proof of a pending secret. */
export interface Confirmation {
  readonly userId: string
  /** Of the session's token. */
  readonly tokenHash: string
  /** The pending secret as it was read. */
  readonly sealedSecret: string
  /** That the code is of. */
  readonly step: number
  /** The step-up's end. */
  readonly verifiedUntilMillis: number
  /** Names this request: asked again under it, the answer is the same. */
  readonly operation: string
  readonly nowMillis: number
}

const kinds = { on: "on", no_session: "noSession", refused: "refused" } as const

/** functions/confirm_two_factor.lua */
export const confirmTwoFactor = (client: RedisClient["Service"]) => (confirmation: Confirmation) => {
  const { userId, tokenHash, sealedSecret, step, verifiedUntilMillis, operation, nowMillis } = confirmation
  return Effect.flatMap(
    callFunction(
      client,
      "confirm_two_factor",
      [keys.userKey(userId), keys.sessionKey(keys.accountSlotOfUser(userId), tokenHash)],
      [userId, sealedSecret, step, verifiedUntilMillis, operation, nowMillis],
    ),
    readKind("confirm_two_factor", kinds),
  )
}
