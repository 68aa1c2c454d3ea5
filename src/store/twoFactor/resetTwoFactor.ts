import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user", "backup_codes", "sessions"],
  args: ["secret", "now", "session_prefix", "...codes"],
})

/** A new second factor of an operator. */
export interface TwoFactorReset {
  readonly userId: string
  readonly sealedSecret: string
  /** Hashes of the backup codes. */
  readonly storedCodes: ReadonlyArray<string>
  readonly nowMillis: number
}

/** Gives an operator a new second factor and ends all sessions: `reset`, or refused as `noOperator`. */
export const resetTwoFactor =
  (client: RedisClient["Service"]) =>
  ({ userId, sealedSecret, storedCodes, nowMillis }: TwoFactorReset) =>
    Effect.flatMap(
      callFunction(
        client,
        declaration,
        {
          user: keys.userKey(userId),
          backup_codes: keys.backupCodesKey(userId),
          sessions: keys.sessionsKey(userId),
        },
        {
          secret: sealedSecret,
          now: nowMillis,
          session_prefix: keys.sessionPrefix(keys.accountSlotOfUser(userId)),
          codes: storedCodes,
        },
      ),
      readKind(declaration, { reset: "reset", no_operator: "noOperator" }),
    )
