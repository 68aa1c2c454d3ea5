import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user", "backup_codes"],
  args: ["password_hash", "secret", "now", "session_id", "...codes"],
})

/** A second factor to set up. */
export interface Enabling {
  readonly userId: string
  /** The hash that the password was verified against. */
  readonly passwordHash: string
  readonly sealedSecret: string
  /** The requesting session. */
  readonly sessionId: string
  /** Hashes of the backup codes. */
  readonly storedCodes: ReadonlyArray<string>
  readonly nowMillis: number
}

const kinds = { enabling: "enabling", password_changed: "passwordChanged", on: "on" } as const

/** Stores a pending second factor: `enabling`, or refused as `passwordChanged` or `on`. */
export const enableTwoFactor = (client: RedisClient["Service"]) => (enabling: Enabling) =>
  Effect.flatMap(
    callFunction(
      client,
      declaration,
      { user: keys.userKey(enabling.userId), backup_codes: keys.backupCodesKey(enabling.userId) },
      {
        password_hash: enabling.passwordHash,
        secret: enabling.sealedSecret,
        now: enabling.nowMillis,
        session_id: enabling.sessionId,
        codes: enabling.storedCodes,
      },
    ),
    readKind(declaration, kinds),
  )
