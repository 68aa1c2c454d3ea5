import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user", "backup_codes", "session"],
  args: ["password_hash", "session_id", "now", "...codes"],
})

/** New backup codes for a user. */
export interface BackupCodeReplacement {
  readonly userId: string
  /** The hash that the password was verified against. */
  readonly passwordHash: string
  /** The requesting session. */
  readonly sessionId: string
  readonly tokenHash: string
  readonly nowMillis: number
  /** Hashes of the codes. */
  readonly storedCodes: ReadonlyArray<string>
}

const kinds = {
  replaced: "replaced",
  password_changed: "passwordChanged",
  off: "off",
  not_stepped_up: "notSteppedUp",
} as const

/** Replaces a user's backup codes: `replaced`, or refused as `passwordChanged`, `off` or `notSteppedUp`. */
export const replaceBackupCodes =
  (client: RedisClient["Service"]) => (replacement: BackupCodeReplacement) => {
    const { userId, passwordHash, sessionId, tokenHash, nowMillis, storedCodes } = replacement
    const session = keys.sessionKey(keys.accountSlotOfUser(userId), tokenHash)
    return Effect.flatMap(
      callFunction(
        client,
        declaration,
        { user: keys.userKey(userId), backup_codes: keys.backupCodesKey(userId), session },
        { password_hash: passwordHash, session_id: sessionId, now: nowMillis, codes: storedCodes },
      ),
      readKind(declaration, kinds),
    )
  }
