import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["user", "backup_codes", "session"],
  args: ["user_id", "password_hash", "totp_secret", "factor", "factor_value", "until", "operation"],
})

/** A second factor about to be used, and what of its user it was checked against: none of it may have changed. */
export interface FactorUse {
  readonly userId: string
  readonly passwordHash: string
  /** The TOTP secret as it was read. */
  readonly sealedSecret: string
  /** The step that a TOTP code is of, or what is stored of a backup code. */
  readonly factor: { readonly kind: "totp" | "backup"; readonly value: string }
}

/** A session to be stepped up. */
export interface StepUp extends FactorUse {
  /** Of the session's token. */
  readonly tokenHash: string
  /** The step-up's end. */
  readonly verifiedUntilMillis: number
  /** Names this request: asked again under it, the answer is the same. */
  readonly operation: string
}

const kinds = {
  stepped_up: "steppedUp",
  no_session: "noSession",
  password_changed: "passwordChanged",
  off: "off",
  factor_refused: "factorRefused",
  own_code: "ownCode",
} as const

/** stepUp.lua */
export const stepUp = (client: RedisClient["Service"]) => (use: StepUp) => {
  const { userId, factor } = use
  return Effect.flatMap(
    callFunction(
      client,
      declaration,
      {
        user: keys.userKey(userId),
        backup_codes: keys.backupCodesKey(userId),
        session: keys.sessionKey(keys.accountSlotOfUser(userId), use.tokenHash),
      },
      {
        user_id: userId,
        password_hash: use.passwordHash,
        totp_secret: use.sealedSecret,
        factor: factor.kind,
        factor_value: factor.value,
        until: use.verifiedUntilMillis,
        operation: use.operation,
      },
    ),
    readKind("step_up", kinds),
  )
}
