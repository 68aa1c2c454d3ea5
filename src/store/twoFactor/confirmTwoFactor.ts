import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user", "session", "sessions"],
  args: [
    ...["user_id", "pending_secret", "step", "until", "operation", "now"],
    ...["session_prefix", "token_hash", "new_token_hash", "grace"],
  ],
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
  /** The hash of the token that the session is to have from then on; undefined: it keeps its token. */
  readonly newTokenHash: string | undefined
}

const kinds = { on: "on", moved: "moved", no_session: "noSession", refused: "refused" } as const

/** Turns a user's second factor on and steps the session up: `on`, or `moved` where it has the new token; or refused as `noSession` or `refused`. */
export const confirmTwoFactor = (client: RedisClient["Service"]) => (confirmation: Confirmation) => {
  const { userId, tokenHash, sealedSecret, step, verifiedUntilMillis, operation, nowMillis } = confirmation
  const slot = keys.accountSlotOfUser(userId)
  return Effect.flatMap(
    callFunction(
      client,
      declaration,
      {
        user: keys.userKey(userId),
        session: keys.sessionKey(slot, tokenHash),
        sessions: keys.sessionsKey(userId),
      },
      {
        user_id: userId,
        pending_secret: sealedSecret,
        step,
        until: verifiedUntilMillis,
        operation,
        now: nowMillis,
        session_prefix: keys.sessionPrefix(slot),
        token_hash: tokenHash,
        new_token_hash: confirmation.newTokenHash ?? "",
        grace: limits.formerTokenMillis,
      },
    ),
    readKind(declaration, kinds),
  )
}
