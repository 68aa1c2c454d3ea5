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

/** A pending secret that a correct code has proved. */
export interface Confirmation {
  readonly userId: string
  /** The hash of the session's token. */
  readonly tokenHash: string
  /** The pending secret, sealed, as it was read. */
  readonly sealedSecret: string
  /** The code's TOTP step. */
  readonly step: number
  /** When the step-up ends. */
  readonly verifiedUntilMillis: number
  /** Identifies this request: a retry gets the same answer. */
  readonly operation: string
  readonly nowMillis: number
}

const kinds = { on: "on", no_session: "noSession", refused: "refused" } as const

/** Turns a user's second factor on and steps the session up: `on`, or refused as `noSession` or `refused`. */
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
    readKind(declaration, kinds),
  )
}
