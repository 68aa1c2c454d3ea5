import { Effect } from "effect"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** New backup codes of a user. */
export interface BackupCodeReplacement {
  readonly userId: string
  /** That the password was verified against. */
  readonly passwordHash: string
  /** Of the session that asks. */
  readonly sessionId: string
  readonly tokenHash: string
  readonly nowMillis: number
  /** What is stored of the codes. */
  readonly storedCodes: ReadonlyArray<string>
}

const kinds = {
  replaced: "replaced",
  password_changed: "passwordChanged",
  off: "off",
  not_stepped_up: "notSteppedUp",
} as const

/** functions/replace_backup_codes.lua */
export const replaceBackupCodes =
  (client: RedisClient["Service"]) => (replacement: BackupCodeReplacement) => {
    const { userId, passwordHash, sessionId, tokenHash, nowMillis, storedCodes } = replacement
    const session = keys.sessionKey(keys.accountSlotOfUser(userId), tokenHash)
    return Effect.flatMap(
      callFunction(
        client,
        "replace_backup_codes",
        [keys.userKey(userId), keys.backupCodesKey(userId), session],
        [passwordHash, sessionId, nowMillis, ...storedCodes],
      ),
      readKind("replace_backup_codes", kinds),
    )
  }
