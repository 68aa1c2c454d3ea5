import { Effect } from "effect"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** A second factor to be. */
export interface Enabling {
  readonly userId: string
  /** That the password was verified against. */
  readonly passwordHash: string
  readonly sealedSecret: string
  /** Of the session that asks. */
  readonly sessionId: string
  /** What is stored of the backup codes. */
  readonly storedCodes: ReadonlyArray<string>
  readonly nowMillis: number
}

const kinds = { enabling: "enabling", password_changed: "passwordChanged", on: "on" } as const

/** functions/enable_two_factor.lua */
export const enableTwoFactor = (client: RedisClient["Service"]) => (enabling: Enabling) =>
  Effect.flatMap(
    callFunction(
      client,
      "enable_two_factor",
      [keys.userKey(enabling.userId), keys.backupCodesKey(enabling.userId)],
      [
        ...[enabling.passwordHash, enabling.sealedSecret, enabling.nowMillis, enabling.sessionId],
        ...enabling.storedCodes,
      ],
    ),
    readKind("enable_two_factor", kinds),
  )
