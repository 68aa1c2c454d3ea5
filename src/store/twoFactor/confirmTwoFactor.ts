import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user", "session"],
  args: ["user_id", "pending_secret", "step", "until", "operation", "now"],
})

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

/** confirmTwoFactor.lua */
export const confirmTwoFactor = (client: RedisClient["Service"]) => (confirmation: Confirmation) => {
  const { userId, tokenHash, sealedSecret, step, verifiedUntilMillis, operation, nowMillis } = confirmation
  return Effect.flatMap(
    callFunction(
      client,
      declaration,
      { user: keys.userKey(userId), session: keys.sessionKey(keys.accountSlotOfUser(userId), tokenHash) },
      {
        user_id: userId,
        pending_secret: sealedSecret,
        step,
        until: verifiedUntilMillis,
        operation,
        now: nowMillis,
      },
    ),
    readKind("confirm_two_factor", kinds),
  )
}
