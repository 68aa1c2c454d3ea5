import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["token", "user", "backup_codes", "sessions"],
  args: ["user_id", "session_prefix", "now", "operation", "password_hash", "totp_secret"],
})

/** A recovery token to redeem, and the user's fields that it was checked against, which must not have changed. */
export interface Recovering {
  readonly userId: string
  readonly tokenHash: string
  readonly passwordHash: string
  /** The TOTP secret, sealed, as it was read; empty if there was none. */
  readonly sealedSecret: string
  readonly nowMillis: number
  /** Identifies retries after a lost reply. */
  readonly operation: string
}

/** Redeems a recovery token: `recovered`, or refused as `tokenUsed`. */
export const recoverTwoFactor = (client: RedisClient["Service"]) => (recovering: Recovering) => {
  const { userId, operation } = recovering
  const slot = keys.accountSlotOfUser(userId)
  return Effect.flatMap(
    callFunction(
      client,
      declaration,
      {
        token: keys.tokenKey(slot, recovering.tokenHash),
        user: keys.userKey(userId),
        backup_codes: keys.backupCodesKey(userId),
        sessions: keys.sessionsKey(userId),
      },
      {
        user_id: userId,
        session_prefix: keys.sessionPrefix(slot),
        now: recovering.nowMillis,
        operation,
        password_hash: recovering.passwordHash,
        totp_secret: recovering.sealedSecret,
      },
    ),
    readKind(declaration, { recovered: "recovered", token_used: "tokenUsed" }),
  )
}
